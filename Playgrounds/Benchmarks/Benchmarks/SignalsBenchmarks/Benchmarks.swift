import Benchmark

/// What the harness calls to learn what there is to measure.
let benchmarks: @Sendable () -> Void = {
  Role.current?.play()
  registerEmitting()
  registerProperties()
  registerDeriving()
  registerOperators()
  registerSubscribing()
  registerSequences()
  registerSharedFiles()
  registerSuites()
  registerLogs()
  registerStores()
  registerLiveStores()
  registerSharedStores()
  registerContainers()
  registerFlags()
}

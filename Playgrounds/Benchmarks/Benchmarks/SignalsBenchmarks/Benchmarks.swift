import Benchmark

/// What the harness calls to learn what there is to measure.
let benchmarks: @Sendable () -> Void = {
  registerEmitting()
  registerProperties()
  registerOperators()
  registerSubscribing()
  registerSequences()
}

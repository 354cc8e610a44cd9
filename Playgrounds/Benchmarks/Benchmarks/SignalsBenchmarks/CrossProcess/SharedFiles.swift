import AppGroups
import Benchmark
import Foundation
import Machine
import Signals

/// A value in a file that processes share, beside the system calls that it needs.
func registerSharedFiles() {
  registerReading()
  registerLatency()
  registerReloading()
  registerUpdates()
}

private func registerReading() {
  measureTimed("fileValue", "Signals") {
    let directory = try TemporaryDirectory(isInMemory: false)
    let file = try sharedFile(in: directory.url)
    // As most values are: its text was read from the file and lies in memory of its own.
    try file.write(Payload(count: 0))
    let tally = Tally()
    return { count, stopwatch in
      stopwatch.startMeasurement()
      for _ in 0..<count { tally.add(file.value.count) }
      stopwatch.stopMeasurement()
      withExtendedLifetime(directory) {}
    }
  }
  measure("fileValue", "mutex pair") {
    let lock = PlainLock()
    return { count in for _ in 0..<count { lock.pair() } }
  }
}

import Benchmark
import Foundation
import OpenCombine
import Signals

/// Subscribing and cancelling, alone and beside many live subscriptions.
func registerSubscribing() {
  for live in [0, 10_000] {
    measure("subscribe\(live)", "Signals") {
      let tally = Tally()
      let source = Source()
      let crowd = (0..<live).map { _ in source.sink { tally.add($0) } }
      return { count in
        for _ in 0..<count { source.sink { tally.add($0) }.cancel() }
        withExtendedLifetime(crowd) {}
      }
    }
    measure("subscribe\(live)", "OpenCombine") {
      let tally = Tally()
      let source = Subject()
      let crowd = (0..<live).map { _ in source.sink { tally.add($0) } }
      return { count in
        for _ in 0..<count { source.sink { tally.add($0) }.cancel() }
        withExtendedLifetime(crowd) {}
      }
    }
  }

  let live = 10_000
  measureTimed("cancel10000", "Signals") {
    let tally = Tally()
    let source = Source()
    var crowd = (0..<live).map { _ in source.sink { tally.add($0) } }
    return { count, stopwatch in
      let chosen = (0..<count).map { $0 * (live / count) }
      stopwatch.startMeasurement()
      for index in chosen { crowd[index].cancel() }
      stopwatch.stopMeasurement()
      for index in chosen { crowd[index] = source.sink { tally.add($0) } }
    }
  }
  measureTimed("cancel10000", "OpenCombine") {
    let tally = Tally()
    let source = Subject()
    var crowd = (0..<live).map { _ in source.sink { tally.add($0) } }
    return { count, stopwatch in
      let chosen = (0..<count).map { $0 * (live / count) }
      stopwatch.startMeasurement()
      for index in chosen { crowd[index].cancel() }
      stopwatch.stopMeasurement()
      for index in chosen { crowd[index] = source.sink { tally.add($0) } }
    }
  }

  measure("subscribe0", "3 mallocs") {
    { count in
      for _ in 0..<count {
        let blocks = (malloc(32), malloc(48), malloc(48))
        blackHole(blocks)
        free(blocks.2)
        free(blocks.1)
        free(blocks.0)
      }
    }
  }
}

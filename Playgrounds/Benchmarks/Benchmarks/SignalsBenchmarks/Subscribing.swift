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

  measure("subscribe0", "three allocations") {
    { count in
      for _ in 0..<count {
        let blocks = (UnsafeMutablePointer<Int>.allocate(capacity: 4), UnsafeMutablePointer<Int>.allocate(capacity: 6),
                      UnsafeMutablePointer<Int>.allocate(capacity: 6))
        blocks.0.initialize(to: 1)
        blocks.1.initialize(to: 2)
        blocks.2.initialize(to: 3)
        blocks.2.deallocate()
        blocks.1.deallocate()
        blocks.0.deallocate()
      }
    }
  }
}

import Signals
import Synchronization

/// A chain of derived values, per level.
let derivedCurves = [
  Curve(
    "derived", "Set a value under a chain of derived values, per level", by: "levels", [1, 10, 100, 1_000],
    [
      .init("Signals") { depth in
        let tally = Tally()
        let head = MutableProperty(0)
        var last: Property<Int> = head
        for _ in 0..<depth { last = Property.derived(last) { $0 &+ 1 } }
        let subscription = last.sink { tally.add($0) }
        return .repeated(operations: depth) { count in
          for value in 0..<count { head.value = value }
          withExtendedLifetime(subscription) {}
        }
      },
      .init("closures with a mutex each") { depth in
        let tally = Tally()
        let levels = (0..<depth).map { _ in Level() }
        return .repeated(operations: depth) { count in
          for value in 0..<count { tally.add(levels.reduce(value) { $1.pass($0) }) }
        }
      },
    ])
]

/// The least that a level needs which threads share: a stored value under a mutex, and a closure.
private final class Level: Sendable {
  private let stored = Mutex(0)
  private let body: @Sendable (Int) -> Int = { $0 &+ 1 }

  @inline(never)
  func pass(_ value: Int) -> Int {
    stored.withLock { stored in
      stored = body(value)
      return stored
    }
  }
}

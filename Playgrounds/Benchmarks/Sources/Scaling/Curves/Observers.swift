import OpenCombine
import Signals

private let sizes = [1, 10, 100, 1_000, 10_000, 100_000]

/// One value for many subscribers, per subscriber.
let observerCurves = [
  Curve(
    "observers", "Send a value to many subscribers, per subscriber", by: "subscribers", sizes,
    [
      .init("Signals") { size in
        let tally = Tally()
        let source = Emitter<Int, Never>()
        let subscriptions = (0..<size).map { _ in source.sink { tally.add($0) } }
        return .repeated(operations: size) { count in
          for value in 0..<count { source.send(value) }
          withExtendedLifetime(subscriptions) {}
        }
      },
      .init("OpenCombine") { size in
        let tally = Tally()
        let source = PassthroughSubject<Int, Never>()
        let subscriptions = (0..<size).map { _ in source.sink { tally.add($0) } }
        return .repeated(operations: size) { count in
          for value in 0..<count { source.send(value) }
          withExtendedLifetime(subscriptions) {}
        }
      },
    ])
]

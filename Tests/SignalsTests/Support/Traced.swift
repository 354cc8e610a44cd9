import Signals

extension Signal {
  /// Subscribes and notes what comes: each value, then "|" for the end or "#" for a failure.
  func trace(in log: Log<String>) -> SignalSubscription {
    sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: log.add("|")
        case .failure: log.add("#")
        }
      },
      receiveValue: { log.add("\($0)") }
    )
  }

  /// What the signal sends inside the call that subscribes.
  var traced: [String] {
    let log = Log<String>()
    let subscription = trace(in: log)
    withExtendedLifetime(subscription) {}
    return log.entries
  }
}

/// Random numbers that are the same in every run.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) {
    state = UInt64(seed) &* 977 &+ 1
  }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }

  /// Arrays of small numbers, the first ones empty and short.
  static let inputs: [[Int]] = (0..<40).map { seed in
    var generator = Seeded(seed)
    return (0..<seed / 2).map { _ in Int.random(in: 0..<4, using: &generator) }
  }
}

import Signals

/// What a signal sends, as text: the values, then "|" for the end or "#" and the failure.
final class Watch: Sendable {
  let log = Log<String>()
  private let token = Box<SignalSubscription>()

  init<Element, Failure>(
    _ signal: some Signal<Element, Failure>,
    onValue: @escaping @Sendable (Element) -> Void = { _ in }
  ) {
    token.value = signal.sink(
      receiveCompletion: { [log] completion in
        switch completion {
        case .finished: log.add("|")
        case .failure(let error): log.add("#\(error)")
        }
      },
      receiveValue: { [log] value in
        log.add("\(value)")
        onValue(value)
      }
    )
  }

  var entries: [String] { log.entries }

  func cancel() {
    token.value?.cancel()
  }
}

/// Random numbers that are the same in each run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) {
    state = UInt64(seed) &* 977 &+ 1
  }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

import Signals
import SignalsTesting

/// An operator on time, for tests of their common promises.
struct TimeOperator: Sendable, CustomStringConvertible {
  let description: String
  let shape: @Sendable (AnySignal<Int, Mishap>, TestClock) -> AnySignal<Int, Mishap>

  /// The operators that keep values while they wait.
  static let waiting: [TimeOperator] = [
    TimeOperator(description: "debounce") { $0.debounce(for: .seconds(2), clock: $1).eraseToAnySignal() },
    TimeOperator(description: "throttle") {
      $0.throttle(for: .seconds(2), latest: true, clock: $1).eraseToAnySignal()
    },
    TimeOperator(description: "delay") { $0.delay(for: .seconds(2), clock: $1).eraseToAnySignal() },
    TimeOperator(description: "collect") {
      $0.collect(every: .seconds(2), clock: $1).compactMap(\.last).eraseToAnySignal()
    },
    TimeOperator(description: "collect with a count") {
      $0.collect(every: .seconds(2), upTo: 5, clock: $1).compactMap(\.last).eraseToAnySignal()
    },
    TimeOperator(description: "sample") { $0.sample(every: .seconds(2), clock: $1).eraseToAnySignal() },
  ]

  /// The operators that pass values even if time stands still.
  static let passing: [TimeOperator] = all.filter {
    !["debounce", "delay", "collect", "sample"].contains($0.description)
  }

  static let all: [TimeOperator] =
    waiting + [
      TimeOperator(description: "timeout") { $0.timeout(.seconds(2), clock: $1).eraseToAnySignal() },
      TimeOperator(description: "measureInterval") { signal, clock in
        signal.measureInterval(using: clock).map { Int($0.components.seconds) }.eraseToAnySignal()
      },
      TimeOperator(description: "prefix") { $0.prefix(for: .seconds(9), clock: $1).eraseToAnySignal() },
      TimeOperator(description: "throttle without latest") {
        $0.throttle(for: .seconds(2), latest: false, clock: $1).eraseToAnySignal()
      },
    ]
}

/// A signal that calls a closure when a subscription to it is cancelled.
struct CancelWatch<Base: Signal>: Signal {
  typealias Element = Base.Element
  typealias Failure = Base.Failure

  let base: Base
  let onCancel: @Sendable () -> Void

  func subscribe(_ subscriber: some SignalSubscriber<Base.Element, Base.Failure>) -> SignalSubscription {
    let subscription = base.subscribe(subscriber)
    return SignalSubscription { [onCancel] in
      subscription.cancel()
      onCancel()
    }
  }
}

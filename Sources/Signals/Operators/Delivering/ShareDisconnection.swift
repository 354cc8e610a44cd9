/// A policy that determines when a shared signal cancels its upstream subscription after its last subscriber has left.
///
/// ```swift
/// import Signals
/// import SignalsTesting
///
/// let clock = TestClock()
/// let source = Emitter<Int, Never>()
/// let shared = source.handleEvents(receiveCancel: { print("disconnected") })
///   .share(replay: 1, disconnecting: .after(.seconds(5), clock: clock))
/// shared.sink { print("first", $0) }.cancel()
/// clock.advance(by: .seconds(4))
/// source.send(1)
/// let second = shared.sink { print("second", $0) }  // Prints "second 1"
/// second.cancel()
/// clock.advance(by: .seconds(5))  // Prints "disconnected"
/// ```
///
/// Choose ``after(_:clock:)`` if subscribers come and go, as screens do, and a connection is expensive. Choose
/// ``never`` for work that must run only once and whose values are replayed for the rest of the program.
public struct ShareDisconnection: Sendable {
  /// A function that calls another one after a pause, unless its token is cancelled.
  typealias Schedule = @Sendable (_ call: @escaping @Sendable () -> Void) -> SignalSubscription

  enum Kind: Sendable {
    case immediately
    case after(Schedule)
    case never
  }

  let kind: Kind

  /// The upstream subscription is cancelled when the last subscriber leaves.
  public static let immediately = ShareDisconnection(kind: .immediately)

  /// The upstream subscription is kept until the upstream signal ends or the shared signal is released.
  ///
  /// If the upstream signal sends an endless sequence at once, as `(1...).signal` does, the first subscription never
  /// returns.
  public static let never = ShareDisconnection(kind: .never)

  /// Returns a policy that cancels the upstream subscription after an interval without subscribers.
  ///
  /// - Parameters:
  ///   - gracePeriod: The interval, which starts over whenever the last subscriber leaves. If it is not positive, the
  ///     upstream subscription is cancelled at once.
  ///   - clock: The clock that measures the interval. The upstream subscription is cancelled on one of its threads.
  /// - Returns: The policy.
  public static func after<C: Clock>(_ gracePeriod: Duration, clock: C = ContinuousClock()) -> ShareDisconnection
  where C.Duration == Duration {
    guard gracePeriod > .zero else { return .immediately }
    return ShareDisconnection(kind: .after { Alarm.call(after: gracePeriod, on: clock, $0) })
  }
}

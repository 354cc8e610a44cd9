/// A signal that is made anew for each subscriber.
///
/// Use it where making a signal has an effect, or depends on the moment.
///
/// ```swift
/// import Signals
///
/// let count = MutableProperty(0)
/// let visits = DeferredSignal { JustSignal(count.modify { $0 += 1; return $0 }) }
/// let first = visits.sink { print("visit", $0) }  // Prints "visit 1"
/// let second = visits.sink { print("visit", $0) }  // Prints "visit 2"
/// ```
@frozen
public struct DeferredSignal<Base: Signal>: Signal {
  /// The values of the signals made.
  public typealias Element = Base.Element

  /// The error of the signals made.
  public typealias Failure = Base.Failure

  @usableFromInline let make: @Sendable () -> Base

  /// Makes a signal that a closure makes anew for each subscriber.
  ///
  /// - Parameter make: Called at each subscription, on the thread that subscribes.
  @inlinable @inline(__always)
  public init(_ make: @escaping @Sendable () -> Base) {
    self.make = make
  }

  /// Makes the signal and attaches a subscriber to it.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    make().subscribe(subscriber)
  }
}

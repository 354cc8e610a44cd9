/// A signal that is created for each subscriber.
///
/// Use it if creating a signal has a side effect, or if its result depends on the time of the subscription.
///
/// ```swift
/// import Signals
///
/// let count = MutableProperty(0)
/// let visits = DeferredSignal { JustSignal(count.modify { $0 += 1; return $0 }) }
/// let first = visits.sink { print("visit", $0) }  // Prints "visit 1"
/// let second = visits.sink { print("visit", $0) }  // Prints "visit 2"
/// ```
public struct DeferredSignal<Base: Signal>: Signal {
  /// The type of the values that the created signals send.
  public typealias Element = Base.Element

  /// The type of the error of the created signals.
  public typealias Failure = Base.Failure

  @usableFromInline let make: @Sendable () -> Base

  /// Creates a signal from a closure that returns a new signal for each subscriber.
  ///
  /// - Parameter make: A closure that is called at each subscription, on the thread that subscribes.
  @inlinable @inline(__always)
  public init(_ make: @escaping @Sendable () -> Base) {
    self.make = make
  }

  /// Creates the signal and attaches a subscriber to it.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    make().subscribe(subscriber)
  }
}

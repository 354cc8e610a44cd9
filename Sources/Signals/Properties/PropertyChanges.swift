/// The changes of a property, without the value that it has when one subscribes.
@frozen
public struct PropertyChanges<Value: Sendable>: Signal {
  /// The values the property sends.
  public typealias Element = Value

  /// A property cannot fail.
  public typealias Failure = Never

  @usableFromInline let property: Property<Value>

  init(property: Property<Value>) {
    self.property = property
  }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives every value stored from now on.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Value, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    property.observed { property.core.subscribeToChanges(subscriber) }
  }
}

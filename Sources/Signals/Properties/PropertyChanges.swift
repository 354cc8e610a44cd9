/// A signal of the changes of a property, without the value at the time of the subscription.
@usableFromInline
struct PropertyChanges<Value: Sendable>: Signal {
  @usableFromInline typealias Element = Value
  @usableFromInline typealias Failure = Never

  @usableFromInline let property: Property<Value>

  /// Attaches a subscriber and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: The subscriber. It receives every value that is stored from now on.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Value, Never>) -> SignalSubscription {
    property.observed { property.core.subscribe(subscriber, wantsCurrent: false) }
  }
}

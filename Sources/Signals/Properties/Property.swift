/// An observable value that can be read at any time.
///
/// A property is a signal that gives each subscriber the current value at once, inside the call that subscribes, and
/// then every change, in order, with no gap and no repetition. Inside a subscriber, ``value`` is the delivered value or
/// a newer one. Reading may be done from any thread, and waits for nothing but a short lock and the body of
/// ``MutableProperty/withLock(_:)``. See laws 6 and 7 of <doc:/Docs/TheLaws>.
///
/// ```swift
/// import Signals
///
/// let level = MutableProperty(1)
/// let subscription = level.sink { print("level", $0) }  // Prints "level 1"
/// level.value = 2  // Prints "level 2"
/// ```
///
/// This class is the read-only view; ``MutableProperty`` adds writing. Hand out a `MutableProperty` as a `Property` to
/// let others watch but not touch.
public class Property<Value: Sendable>: Signal, @unchecked Sendable {  // Sound: immutable; the core guards itself.
  /// The values the property sends.
  public typealias Element = Value

  /// A property cannot fail.
  public typealias Failure = Never

  @usableFromInline final let core: PropertyCore<Value>

  /// What feeds the property, and must live as long as anybody observes it.
  @usableFromInline final let source: SubscriptionOwner?

  @usableFromInline
  init(core: PropertyCore<Value>, source: SubscriptionOwner? = nil) {
    self.core = core
    self.source = source
  }

  /// Makes a property that never changes.
  ///
  /// It has ended from the start: each subscriber gets the value and then the completion. A value that is derived from
  /// constants alone has ended too.
  ///
  /// - Parameter value: The value for all time.
  /// - Returns: A property that has this value.
  public static func constant(_ value: Value) -> Property<Value> {
    let core = PropertyCore(value)
    core.close()
    return Property(core: core)
  }

  /// The current value.
  public var value: Value {
    @inlinable @inline(__always) get {
      core.noteAccess()
      if core.node == nil { return core.value }
      // Sound: only derived values have a node.
      return Unmanaged.passUnretained(core)._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: DerivedCore<Value>.self).read()
      }
    }
  }

  /// The current value of a property that is known not to be a derived one.
  ///
  /// It is what ``value`` is, without the dynamic dispatch, which ends in code that is not specialised for the type.
  @inlinable @inline(__always)
  package final var plainValue: Value {
    core.noteAccess()
    return core.value
  }

  /// The changes that follow, without the current value.
  public var changes: PropertyChanges<Value> {
    PropertyChanges(property: self)
  }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives the current value before this returns, then every later one.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  public final func subscribe<Subscriber: SignalSubscriber<Value, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    observed { core.subscribeWithCurrent(subscriber) }
  }

  /// Observes what the property depends on for as long as a subscription lives.
  @inlinable @inline(__always)
  final func observed(_ subscribe: () -> SignalSubscription) -> SignalSubscription {
    guard let node = core.node else {
      let subscription = subscribe()
      if let source { subscription.bind(source) }
      return subscription
    }
    let ended = node.observe()
    node.update(publishing: true)
    let subscription = subscribe()
    subscription.bind(node)
    // A write that came before the subscriber was counted has told nobody; one that comes after the lock sees it.
    core.lock.withLock {}
    node.update(publishing: true)
    Topology.end(ended)
    return subscription
  }
}

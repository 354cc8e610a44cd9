/// An observable value that can be read at any time.
///
/// A property is a signal of state. It sends each new subscriber the current value before `sink` or `subscribe(_:)`
/// returns, and then every change in order, without gaps or repetition. Inside a subscriber, ``value`` is the delivered
/// value or a newer one. Reading ``value`` is safe on any thread. It waits only for a short lock and for the body of
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
/// This class is the read-only view; ``MutableProperty`` adds writing. Expose a `MutableProperty` as a `Property` to
/// let other code observe the value without changing it.
public class Property<Value: Sendable>: Signal, @unchecked Sendable {  // Sound: immutable; the core guards itself.
  /// The type of the values that the property sends.
  public typealias Element = Value

  /// `Never`: a property cannot fail.
  public typealias Failure = Never

  @usableFromInline final let core: PropertyCore<Value>

  /// The upstream subscription or owner that feeds the property; kept alive by the property and its subscriptions.
  @usableFromInline final let source: SubscriptionOwner?

  @usableFromInline
  init(core: PropertyCore<Value>, source: SubscriptionOwner? = nil) {
    (self.core, self.source) = (core, source)
  }

  /// Returns a property that never changes.
  ///
  /// The property has already completed: each subscriber receives the value and then the completion. A value that is
  /// derived from constants alone has completed as well.
  ///
  /// - Parameter value: The constant value.
  /// - Returns: A property that always has this value.
  public static func constant(_ value: Value) -> Property<Value> {
    let core = PropertyCore(value)
    core.close()
    return Property(core: core)
  }

  /// The current value.
  public var value: Value {
    @inlinable @inline(__always) get {
      core.noteAccess()
      if !core.isDerived { return core.value }
      // Sound: checked just before; the property owns the core and lives until the read has returned.
      return withExtendedLifetime(self) {
        Unmanaged.passUnretained(core)._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: DerivedCore<Value>.self).read()
        }
      }
    }
  }

  /// A Boolean value that indicates whether the property has subscribers.
  package final var isObserved: Bool { core.subscriberCount > 0 }

  /// The current value of a property that is known not to be derived.
  ///
  /// It equals ``value`` but avoids the dynamic dispatch, which would end in unspecialised code.
  @inlinable @inline(__always)
  package final var plainValue: Value {
    core.noteAccess()
    return core.value
  }

  /// A signal of the changes that follow, without the current value.
  public final var changes: some Signal<Value, Never> {
    PropertyChanges(property: self)
  }

  /// Attaches a subscriber and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: The subscriber. It receives the current value before this method returns, and then every
  ///   later value.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  public final func subscribe(_ subscriber: some SignalSubscriber<Value, Never>) -> SignalSubscription {
    observed { core.subscribe(subscriber, wantsCurrent: true) }
  }

  /// Subscribes to the property, and observes its inputs as long as the subscription lives.
  @inlinable @inline(__always)
  final func observed(_ subscribe: () -> SignalSubscription) -> SignalSubscription {
    guard let node = core.derivation else {
      let subscription = subscribe()
      if let source { subscription.bind(source) }
      return subscription
    }
    let ended = node.observe()
    node.update(publishing: true)
    let subscription = subscribe()
    subscription.bind(node)
    // A write that preceded the subscriber's registration notified no one. A write after this lock notifies it.
    core.lock.withLock {}
    node.update(publishing: true)
    Topology.end(ended)
    return subscription
  }
}

extension Property: CustomStringConvertible {
  /// The type and the value, as in "MutableProperty<Int>(5)".
  ///
  /// The value is formatted with `String(describing:)`. Printing never computes, subscribes or waits. A derived value
  /// that is not up to date prints "not computed", which is always the case without an observer. While a thread is
  /// inside ``MutableProperty/withLock(_:)``, the property prints "being changed".
  public var description: String {
    let (value, isLent) = core.known
    let content = value.map { String(describing: $0) } ?? (isLent ? "being changed" : "not computed")
    return "\(type(of: self))(\(content))"
  }
}

extension PropertyCore {
  /// The value, if it is known without computing or waiting.
  fileprivate final var known: (value: Value?, isLent: Bool) {
    lock.withLock {
      guard isDerived else { return (stored, isLent) }
      // Sound: checked just before.
      let core = unsafeDowncast(self, to: DerivedCore<Value>.self)
      return (core.state.pointee.isSettled ? core.computed : nil, false)
    }
  }
}

extension Property {
  /// Creates a read-only view that keeps `owner` alive as long as the view, or a subscription to it, lives.
  ///
  /// The view does not keep what `property` keeps alive.
  package convenience init(_ property: Property<Value>, keeping owner: any AnyObject & Sendable) {
    self.init(core: property.core, source: KeepAlive(owner))
  }
}

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

/// A value that can be observed as a ``Property``, and from which others can be derived.
///
/// Properties conform, and so do shared values, such as files and values of suites. `Property.derived` takes any of
/// them:
///
/// ```swift
/// import Signals
///
/// struct Thermometer: PropertyConvertible {
///   let reading = MutableProperty(20.0)
///   var property: Property<Double> { reading }
/// }
///
/// let thermometer = Thermometer()
/// let label = Property.derived(thermometer) { "\($0) °C" }
/// print(label.value)  // Prints "20.0 °C"
/// ```
public protocol PropertyConvertible<PropertyValue>: Sendable {
  /// The type of the property's values.
  associatedtype PropertyValue: Sendable

  /// The value as an observable property.
  var property: Property<PropertyValue> { get }
}

extension Signal where Self: PropertyConvertible, Element == PropertyValue, Failure == Never {
  /// Attaches a subscriber to the property, and returns the token that keeps it attached.
  ///
  /// - Parameter subscriber: Receives the current value before this method returns, and then every later one.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the property.
  @inlinable
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Never>) -> SignalSubscription {
    property.subscribe(subscriber)
  }
}

extension Property: PropertyConvertible {
  /// The property itself.
  @inlinable public var property: Property<Value> { self }
}

extension Signal where Failure == Never {
  /// Creates a property that holds the last value of the signal.
  ///
  /// The property subscribes to the signal at once, and stays subscribed as long as the property or a subscription to
  /// it lives.
  ///
  /// - Parameter initial: The value until the signal sends its first one. If the signal is itself a property, that
  ///   happens at once.
  /// - Returns: A property that follows the signal.
  public func property(initial: Element) -> Property<Element> {
    let core = PropertyCore(initial)
    let subscription = subscribe(PropertyFeed(core: core))
    return Property(core: core, source: KeepAlive(subscription))
  }
}

/// A subscriber that stores every value in a property.
private struct PropertyFeed<Value: Sendable>: SignalSubscriber {
  let core: PropertyCore<Value>

  func receive(_ value: Value) {
    core.set(value)
  }

  func receive(completion: SignalCompletion<Never>) {
    core.close()
  }
}

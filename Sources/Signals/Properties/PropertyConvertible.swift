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

/// A property wrapper for a stored value that can be observed.
///
/// ```swift
/// import Signals
///
/// struct Player {
///   @Observed var volume = 5
/// }
///
/// let player = Player()
/// let subscription = player.$volume.sink { print("volume", $0) }  // Prints "volume 5"
/// player.volume = 7  // Prints "volume 7"
/// ```
///
/// The property's name reads and writes the value, from any thread. The name prefixed with `$` is the
/// ``MutableProperty``. Subscribers and SwiftUI are notified after the new value has been stored, so reading the
/// property gives that value. To change the value based on the current one, call ``MutableProperty/modify(_:)``:
/// `volume += 1` is a read and a write.
///
/// Copies of a structure share the property. The wrapper's storage is a `var`, which a `Sendable` class and the
/// `nonisolated` part of an actor must not have. Declare `let volume = MutableProperty(5)` there.
@propertyWrapper
public struct Observed<Value: Sendable>: Sendable {
  /// The property that holds the value.
  public let projectedValue: MutableProperty<Value>

  /// Creates an observable value.
  ///
  /// - Parameter wrappedValue: The initial value.
  public init(wrappedValue: Value) {
    projectedValue = MutableProperty(wrappedValue)
  }

  /// The current value.
  ///
  /// Setting it sends the new value to all subscribers.
  @inlinable @inline(__always)
  public var wrappedValue: Value {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
  }
}

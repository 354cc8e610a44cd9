/// A stored value that others can observe.
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
/// The name itself reads and writes the value, from any thread; `$` before it gives the ``MutableProperty``.
/// Subscribers, and SwiftUI, hear of a change when the new value has been stored, so that reading it back gives that
/// value. To change the value based on what it is, use ``MutableProperty/modify(_:)`` of the property: `volume += 1` is
/// a read and a write.
///
/// Copies of a structure share the property. A wrapper's storage is a `var`, which a class that says it is `Sendable`,
/// and the `nonisolated` part of an actor, must not have: declare `let volume = MutableProperty(5)` there.
@propertyWrapper
@frozen
public struct Observed<Value: Sendable>: Sendable {
  /// The property that holds the value.
  public let projectedValue: MutableProperty<Value>

  /// Makes an observable value.
  ///
  /// - Parameter wrappedValue: The value it starts with.
  public init(wrappedValue: Value) {
    projectedValue = MutableProperty(wrappedValue)
  }

  /// The current value; setting it sends the new one to all subscribers.
  @inlinable @inline(__always)
  public var wrappedValue: Value {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
  }
}

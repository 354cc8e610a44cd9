extension TweakManager {
  /// Returns the value for a key whose type is a structure.
  ///
  /// - Parameter key: The key; best a constant.
  /// - Returns: The value. It is the key's default if there is no value, or if the value cannot be decoded, which
  ///   ``failures`` reports with the line and column.
  /// - Complexity: O(1) once the value has been decoded.
  @inlinable
  public subscript<Value: TweakStructure>(key: TweakKey<Value>) -> Value {
    decoded(key) ?? lookedUp(key.id, hash: key.hash, as: Value.self) ?? key.defaultValue
  }

  @inlinable @inline(__always)
  func decoded<Value: TweakStructure>(_ key: TweakKey<Value>) -> Value? {
    var value: Value?
    _ = copyDecoded(key.id, hash: key.hash, ObjectIdentifier(Value.self)) { value = DecodedValue<Value>.value(in: $0) }
    return value
  }

  @usableFromInline
  func copyDecoded(
    _ id: TweakID, hash: Int, _ type: ObjectIdentifier, _ copy: (Unmanaged<AnyObject>) -> Void
  ) -> Bool {
    // Sound: the table keeps all slots.
    tweakSlots.find(id, hash: hash)?._withUnsafeGuaranteedRef { $0.copyDecoded(type, copy) } ?? false
  }
}

/// A decoded value, in an object that a slot keeps.
@usableFromInline
final class DecodedValue<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  init(_ value: Value) {
    self.value = value
  }

  @inlinable @inline(__always)
  static func value(in object: Unmanaged<AnyObject>) -> Value {
    // Sound: the slot stores an object of this type for the type, and keeps it during the call.
    object._withUnsafeGuaranteedRef { unsafeDowncast($0, to: DecodedValue<Value>.self).value }
  }
}

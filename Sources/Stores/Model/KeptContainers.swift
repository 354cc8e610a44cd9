/// The keyed container of a decoder, which is created once and reused for every row.
///
/// Creating one needs an allocation, and several lookups of generic types by the runtime.
struct KeptDecodingContainer {
  private final class Holder<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>) {
      self.container = container
    }
  }

  private var key: ObjectIdentifier?
  private var holder: AnyObject?

  /// Returns the container for a type of keys.
  @inline(__always)
  mutating func container<Key: CodingKey>(
    _ type: Key.Type, _ make: () -> KeyedDecodingContainer<Key>
  ) -> KeyedDecodingContainer<Key> {
    // Sound: it was created for exactly this type of keys.
    if let holder, key == ObjectIdentifier(type) { return unsafeDowncast(holder, to: Holder<Key>.self).container }
    let container = make()
    key = ObjectIdentifier(type)
    holder = Holder(container)
    return container
  }
}

/// The keyed container of an encoder, which is created once and reused for every row.
struct KeptEncodingContainer {
  private final class Holder<Key: CodingKey> {
    let container: KeyedEncodingContainer<Key>

    init(_ container: KeyedEncodingContainer<Key>) {
      self.container = container
    }
  }

  private var key: ObjectIdentifier?
  private var holder: AnyObject?

  /// Returns the container for a type of keys.
  @inline(__always)
  mutating func container<Key: CodingKey>(
    _ type: Key.Type, _ make: () -> KeyedEncodingContainer<Key>
  ) -> KeyedEncodingContainer<Key> {
    // Sound: it was created for exactly this type of keys.
    if let holder, key == ObjectIdentifier(type) { return unsafeDowncast(holder, to: Holder<Key>.self).container }
    let container = make()
    key = ObjectIdentifier(type)
    holder = Holder(container)
    return container
  }
}

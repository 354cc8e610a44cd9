/// The keyed container of a decoder or an encoder, which is created once and reused for every row.
///
/// Creating one needs an allocation, and several lookups of generic types by the runtime.
struct KeptContainer {
  private final class Holder<Container> {
    let container: Container

    init(_ container: Container) {
      self.container = container
    }
  }

  private var key: ObjectIdentifier?
  private var holder: AnyObject?

  /// Returns the container for a type of keys, which has one type of containers.
  @inline(__always)
  mutating func container<Key: CodingKey, Container>(_ type: Key.Type, _ make: () -> Container) -> Container {
    // Sound: it was created for exactly this type of keys.
    if let holder, key == ObjectIdentifier(type) { return unsafeDowncast(holder, to: Holder<Container>.self).container }
    let container = make()
    key = ObjectIdentifier(type)
    holder = Holder(container)
    return container
  }
}

/// A subscriber of any kind behind one closure, for places where its type cannot be known.
@usableFromInline
@frozen
struct ErasedSubscriber<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let body: SubscriberNode.Body

  @inlinable @inline(__always)
  init<Subscriber: SignalSubscriber<Element, Failure>>(_ subscriber: Subscriber) {
    body = Self.body(of: subscriber)
  }

  @inlinable
  func receive(_ value: Element) {
    withUnsafePointer(to: value) { body(UnsafeRawPointer($0), nil) }
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>) {
    withUnsafePointer(to: completion) { body(nil, UnsafeRawPointer($0)) }
  }

  /// The closure that a source calls for `subscriber`; an erased one is not wrapped a second time.
  @inlinable @inline(__always)
  static func body<Subscriber: SignalSubscriber<Element, Failure>>(of subscriber: Subscriber) -> SubscriberNode.Body {
    if let erased = subscriber as? ErasedSubscriber<Element, Failure> { return erased.body }
    return { value, completion in
      if let value {
        // Sound: only sources of this element and failure call the closure, with pointers to them.
        subscriber.receive(value.assumingMemoryBound(to: Element.self).pointee)
      } else if let completion {
        subscriber.receive(
          completion: completion.assumingMemoryBound(to: SignalCompletion<Failure>.self).pointee
        )
      }
    }
  }
}

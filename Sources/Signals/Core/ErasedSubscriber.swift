/// A type-erased subscriber: one closure, for places where the type is not known.
@usableFromInline
struct ErasedSubscriber<Element: Sendable, Failure: Error>: SignalSubscriber {
  @usableFromInline let body: SubscriberNode.Body

  @inlinable @inline(__always)
  init<Subscriber: SignalSubscriber<Element, Failure>>(_ subscriber: Subscriber) {
    body = Self.body(of: subscriber)
  }

  init(body: @escaping SubscriberNode.Body) {
    self.body = body
  }

  @inlinable
  func receive(_ value: Element) {
    withUnsafePointer(to: value) { body(UnsafeRawPointer($0), nil) }
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>) {
    tell(.completion(completion))
  }

  @inlinable
  var isDone: Bool {
    var isDone = false
    withUnsafeMutablePointer(to: &isDone) { tell(.isDone($0)) }
    return isDone
  }

  @inlinable
  func tell(_ message: SubscriberMessage<Failure>) {
    Self.tell(message, body)
  }

  /// Sends a message to the closure of a subscriber with this element and failure type.
  @inlinable
  static func tell(_ message: SubscriberMessage<Failure>, _ body: SubscriberNode.Body) {
    withUnsafePointer(to: message) { body(nil, UnsafeRawPointer($0)) }
  }

  /// Returns the closure that a source calls for `subscriber`.
  ///
  /// An erased subscriber is not wrapped a second time.
  @inlinable @inline(__always)
  static func body<Subscriber: SignalSubscriber<Element, Failure>>(of subscriber: Subscriber) -> SubscriberNode.Body {
    if let erased = subscriber as? ErasedSubscriber<Element, Failure> { return erased.body }
    return { value, message in
      if let value {
        // Sound: only sources with this element and failure type call the closure, with pointers to values of these
        // types.
        subscriber.receive(value.assumingMemoryBound(to: Element.self).pointee)
      } else if let message {
        switch message.assumingMemoryBound(to: SubscriberMessage<Failure>.self).pointee {
        case .completion(let completion): subscriber.receive(completion: completion)
        case .isDone(let answer): answer.pointee = subscriber.isDone
        case .inspect(let answer): answer.pointee = subscriber
        }
      } else {
        // Sound: the pointer to a value may be null if the value has no size, such as `()`. Then nothing is to be read.
        subscriber.receive(unsafeBitCast((), to: Element.self))
      }
    }
  }
}

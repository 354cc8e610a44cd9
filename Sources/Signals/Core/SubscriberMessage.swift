/// A message from a source to a subscriber other than a value; none is on the hot path.
@usableFromInline
enum SubscriberMessage<Failure: Error> {
  /// The signal has ended.
  case completion(SignalCompletion<Failure>)

  /// A query whether the subscriber needs no more values.
  ///
  /// The subscriber writes the answer to the pointer.
  case isDone(UnsafeMutablePointer<Bool>)

  /// A query for the subscriber itself.
  ///
  /// The subscriber writes itself to the pointer.
  case inspect(UnsafeMutablePointer<Any?>)
}

@available(*, unavailable)
extension SubscriberMessage: Sendable {}

/// What a source says to a subscriber besides values; none of it is on the hot path.
@usableFromInline
enum SubscriberMessage<Failure: Error> {
  /// The signal has ended.
  case completion(SignalCompletion<Failure>)

  /// Does the subscriber take no more values? To be answered through the pointer.
  case isDone(UnsafeMutablePointer<Bool>)

  /// What are you? The subscriber puts itself where the pointer leads.
  case inspect(UnsafeMutablePointer<Any?>)
}

@available(*, unavailable)
extension SubscriberMessage: Sendable {}

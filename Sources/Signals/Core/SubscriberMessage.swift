/// What a source says to a subscriber besides values; none of it is on the hot path.
@usableFromInline
enum SubscriberMessage<Failure: Error> {
  /// The signal has ended.
  case completion(SignalCompletion<Failure>)

  /// Does the subscriber take no more values? To be answered through the pointer.
  case isDone(UnsafeMutablePointer<Bool>)
}

@available(*, unavailable)
extension SubscriberMessage: Sendable {}

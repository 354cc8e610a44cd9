extension SignalSubscriber {
  /// Finishes the signal before its upstream has ended: cancels the upstream, and sends the completion to the
  /// subscriber.
  ///
  /// If the upstream has already been cancelled, so has the subscription, and the subscriber must not be called again.
  @inlinable
  func finish(cancelling upstreams: Upstreams) {
    guard !upstreams.isCancelled else { return }
    upstreams.cancelAll()
    receive(completion: .finished)
  }
}

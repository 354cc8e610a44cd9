extension SignalSubscriber {
  /// Ends the signal before its upstream did: cancels that, and tells the subscriber.
  ///
  /// If the upstream is cancelled already, so was the subscription, and the subscriber must not be called again.
  @inlinable
  func finish(cancelling upstreams: Upstreams) {
    guard !upstreams.isCancelled else { return }
    upstreams.cancelAll()
    receive(completion: .finished)
  }
}

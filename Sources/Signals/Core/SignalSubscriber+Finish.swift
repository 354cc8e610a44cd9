extension SignalSubscriber {
  /// Finishes the signal before its upstream has ended: cancels the upstream, and sends the completion to the
  /// subscriber.
  ///
  /// If the upstream has already been cancelled, so has the subscription, and the subscriber must not be called again.
  @inlinable
  func finish(cancelling upstreams: Upstreams) {
    end(.finished, cancelling: upstreams)
  }

  /// Ends the signal before its upstream has ended, like ``finish(cancelling:)``.
  @inlinable
  func end(_ completion: SignalCompletion<Failure>, cancelling upstreams: Upstreams) {
    guard !upstreams.isCancelled else { return }
    upstreams.cancelAll()
    receive(completion: completion)
  }
}

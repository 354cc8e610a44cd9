/// Where the inputs of one subscription to an operator with several of them meet.
///
/// Its core's turn makes one order of what the inputs send, from whatever threads.
@usableFromInline
protocol InputHub: AnyObject, Sendable {
  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// What sends to the subscriber.
  var core: EmitterCore<Output, Failure> { get }

  /// The subscriptions to the inputs.
  var upstreams: Upstreams { get }
}

extension InputHub {
  /// Whether nobody takes values any more.
  @inlinable @inline(__always)
  var isDone: Bool { upstreams.isCancelled || core.isDone }

  /// Ends the signal on both sides; for the holder of the turn.
  @usableFromInline
  func finish(_ completion: SignalCompletion<Failure>) {
    upstreams.cancelAll()
    core.finish(completion)
  }

  /// Ends the signal on both sides, now or when the turn's holder comes to it.
  @usableFromInline
  func end(_ completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in finish(completion) }
  }
}

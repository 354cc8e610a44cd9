/// An owner of the task that serves one subscription and is cancelled with it.
@usableFromInline
final class TaskOwner: SubscriptionOwner, @unchecked Sendable {  // Sound: immutable.
  private let task: Task<Void, Never>

  @usableFromInline
  init(_ task: Task<Void, Never>) {
    self.task = task
  }

  package override func cancel(_ subscription: SignalSubscription) {
    task.cancel()
  }
}

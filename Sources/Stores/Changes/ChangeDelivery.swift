import Signals

/// A queue that sends committed changes in the order of commits, with no lock held.
final class ChangeDelivery: Sendable {
  private enum Item: Sendable {
    case changes(ChangeSet)
    case end
  }

  let emitter = Emitter<ChangeSet, Never>()
  private let outbox = Outbox<Item>()

  /// Adds a change to the queue.
  ///
  /// Call it while no other thread or process can commit.
  func enqueue(_ changes: ChangeSet) {
    outbox.add(.changes(changes))
  }

  /// Sends the queued changes.
  ///
  /// If a call on another thread or further up the stack is already sending, it sends these changes, too.
  func flush() {
    outbox.deliver { item in
      switch item {
      case .changes(let changes): emitter.send(changes)
      case .end: emitter.finish()
      }
    }
  }

  /// Finishes after the queued changes have been sent, possibly by another thread.
  ///
  /// No change may be added after this.
  func finish() {
    outbox.add(.end)
    flush()
  }
}

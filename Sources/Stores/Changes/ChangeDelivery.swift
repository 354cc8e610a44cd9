import Signals

/// A queue that numbers committed changes, and sends them in the order of commits, with no lock held.
///
/// Changes are numbered and enqueued in one step, so numbers increase in the order of the queue. The writer does so
/// while it holds its lock; changes by other databases of the file come without that lock.
final class ChangeDelivery: Sendable {
  private enum Item: Sendable {
    case changes(ChangeSet)
    case end
  }

  let emitter = Emitter<ChangeSet, Never>()
  private let outbox = Outbox<Item>()
  /// The number of the last change.
  private let sequence = Guarded<Int64>(0)

  /// Continues with the number of another file.
  func restart(after number: Int64) {
    sequence.withLock { $0 = number }
  }

  /// Enqueues a change with the next number.
  ///
  /// - Parameters:
  ///   - tables: The changes by table.
  ///   - origin: The origin of the change.
  ///   - recorded: The number of the change in all processes, or `nil` if other processes do not receive it.
  func add(_ tables: [String: TableChanges], _ origin: ChangeOrigin, recorded: Int64? = nil) {
    sequence.withLock { sequence in
      sequence = max(ChangeSet.sequence(after: sequence), recorded ?? 0)
      enqueue(ChangeSet(sequence: sequence, origin: origin, tables: tables))
    }
  }

  /// Enqueues a change with a number of other processes, or with the one of the last change if it is `nil`.
  func add(_ tables: [String: TableChanges], _ origin: ChangeOrigin, numbered number: Int64?) {
    let number = number ?? sequence.withLock { $0 }
    enqueue(ChangeSet(sequence: number, origin: origin, tables: tables))
  }

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

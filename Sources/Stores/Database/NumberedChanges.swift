import Signals

/// The changes of a database, which are numbered and enqueued in one step.
///
/// Numbers therefore increase in the order of the queue. The writer calls it while it holds its lock; changes by other
/// databases of the file come without that lock.
final class NumberedChanges: Sendable {
  private let delivery: ChangeDelivery
  /// The number of the last change.
  private let sequence = Guarded<Int64>(0)

  init(_ delivery: ChangeDelivery) {
    self.delivery = delivery
  }

  /// A Boolean value that indicates whether anything observes the changes.
  @inline(__always)
  var hasSubscribers: Bool { delivery.emitter.hasSubscribers }

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
      delivery.enqueue(ChangeSet(sequence: sequence, origin: origin, tables: tables))
    }
  }

  /// Enqueues a change with a number of other processes, or with the one of the last change if it is `nil`.
  func add(_ tables: [String: TableChanges], _ origin: ChangeOrigin, numbered number: Int64?) {
    let number = number ?? sequence.withLock { $0 }
    delivery.enqueue(ChangeSet(sequence: number, origin: origin, tables: tables))
  }
}

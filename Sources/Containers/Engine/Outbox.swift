import Signals

/// What is to be told once no lock is held, in the order in which it happened.
///
/// Who tells may be called back and change something at once; what is still to be told of the last change then comes
/// first.
final class Outbox: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var items: [@Sendable () -> Void] = []  // Sound: guarded by the lock.

  /// Held by the thread that tells.
  private let turn = OwnedLock()

  func add(_ item: @escaping @Sendable () -> Void) {
    lock.withLock { items.append(item) }
  }

  /// Whether all has been told, as far as this thread is to wait for.
  var isDone: Bool { lock.withLock { items.isEmpty } && (!turn.isHeld || turn.isHeldByThisThread) }

  /// Tells all, or waits until another thread has.
  func empty() {
    if turn.isHeldByThisThread { return tell() }
    turn.withLock { tell() }
  }

  private func tell() {
    while let item = lock.withLock({ items.isEmpty ? nil : items.removeFirst() }) { item() }
  }
}

import Signals

/// What is to be told once no lock is held, in the order in which it happened.
///
/// Who tells may be called back and change something at once; what is still to be told of the last change then comes
/// first.
final class Outbox: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var items: [@Sendable () -> Void] = []  // Sound: guarded by the lock, as is the next one.
  private nonisolated(unsafe) var teller: ThreadIdentity?

  /// Held by the thread that tells.
  private let turn = Lock()

  func add(_ item: @escaping @Sendable () -> Void) {
    lock.withLock { items.append(item) }
  }

  /// Whether all has been told, as far as this thread is to wait for.
  var isDone: Bool { lock.withLock { items.isEmpty && (teller == nil || teller == .current) } }

  /// Tells all, or waits until another thread has.
  func empty() {
    guard lock.withLock({ teller != .current }) else { return tell() }
    turn.lock()
    lock.withLock { teller = .current }
    tell()
    lock.withLock { teller = nil }
    turn.unlock()
  }

  private func tell() {
    while let item = lock.withLock({ items.isEmpty ? nil : items.removeFirst() }) { item() }
  }
}

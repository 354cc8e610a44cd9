import Signals

/// Sends what was committed, in the order of commits, without a lock held.
final class ChangeDelivery: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  let emitter = Emitter<ChangeSet, Never>()
  private let lock = Lock()
  private var waiting: [ChangeSet] = []
  private var isDelivering = false
  private var isFinishing = false

  /// Puts a change in the queue; to be called while nobody else can commit.
  func enqueue(_ changes: ChangeSet) {
    lock.withLock { waiting.append(changes) }
  }

  /// Sends what is in the queue, unless another thread, or this one further up, is doing so; it sends this, too, then.
  func flush() {
    lock.lock()
    guard !isDelivering else { return lock.unlock() }
    isDelivering = true
    while !waiting.isEmpty {
      let batch = waiting
      waiting = []
      lock.unlock()
      for changes in batch { emitter.send(changes) }
      lock.lock()
    }
    isDelivering = false
    let isOver = isFinishing
    lock.unlock()
    if isOver { emitter.finish() }
  }

  /// Finishes when what is in the queue has been sent, be it by another thread; nothing may come after that.
  func finish() {
    lock.withLock { isFinishing = true }
    flush()
  }
}

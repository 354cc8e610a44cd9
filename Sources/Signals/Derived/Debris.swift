/// A place where long chains of derived values are released link by link, since recursion would exhaust the stack.
enum Debris {
  private static let lock = Lock()
  // Sound: the lock guards both.
  private nonisolated(unsafe) static var pending: [DerivedNode.Update] = []
  private nonisolated(unsafe) static var isClearing = false

  /// Releases a node's closure, now or after the link whose release led here.
  static func clear(_ body: inout DerivedNode.Update?) {
    let isOurs = lock.withLock {
      if let update = body.take() { pending.append(update) }
      defer { isClearing = true }
      return !isClearing
    }
    guard isOurs else { return }
    while let next = pop() { withExtendedLifetime(next) {} }
  }

  private static func pop() -> DerivedNode.Update? {
    lock.withLock {
      isClearing = !pending.isEmpty
      return pending.popLast()
    }
  }
}

/// A place where long chains of derived values are released link by link, since recursion would exhaust the stack.
enum Debris {
  private static let lock = Lock()
  // Sound: the lock guards both.
  private nonisolated(unsafe) static var pending: [Closures] = []
  private nonisolated(unsafe) static var isClearing = false

  /// The closures of a node, each of which may own the next link.
  private struct Closures {
    let update: DerivedNode.Update?
    let transform: (any AnyObject & Sendable)?
  }

  /// Releases a node's closures, now or after the link whose release led here.
  static func clear(_ update: inout DerivedNode.Update?, _ transform: inout (any AnyObject & Sendable)?) {
    let isOurs = lock.withLock {
      pending.append(Closures(update: update.take(), transform: transform.take()))
      defer { isClearing = true }
      return !isClearing
    }
    guard isOurs else { return }
    while let next = pop() { withExtendedLifetime(next) {} }
  }

  private static func pop() -> Closures? {
    lock.withLock {
      isClearing = !pending.isEmpty
      return pending.popLast()
    }
  }
}

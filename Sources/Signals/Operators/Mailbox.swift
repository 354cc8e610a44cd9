import Synchronization

/// What waits to be delivered elsewhere, and whether somebody is on the way to deliver it.
///
/// Values that come in a burst are delivered in one go, in order.
final class Mailbox<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // Sound: the state is guarded by the lock.

  /// What is delivered.
  enum Letter: Sendable {
    case value(Element)
    case completion(SignalCompletion<Failure>)
  }

  private let lock = Lock()
  private var letters: [Letter] = []
  private var isCollected = false
  private let cancelled = Atomic<Bool>(false)

  /// Whether the subscription is over, and what has been taken out must not be delivered any more.
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Puts a letter in.
  ///
  /// - Returns: Whether the caller must send somebody to collect.
  func put(_ letter: Letter) -> Bool {
    lock.withLock {
      if isCancelled { return false }
      letters.append(letter)
      if isCollected { return false }
      isCollected = true
      return true
    }
  }

  /// Takes out everything that waits.
  func takeAll() -> [Letter] {
    lock.withLock {
      let taken = letters
      letters = []
      return taken
    }
  }

  /// Says that what was taken out has been delivered.
  ///
  /// - Returns: Whether more came meanwhile, so that the caller must collect once more.
  func isDone() -> Bool {
    lock.withLock {
      isCollected = !letters.isEmpty
      return !isCollected
    }
  }

  /// Drops what waits and takes nothing more.
  func close() {
    cancelled.store(true, ordering: .releasing)
    let dropped = takeAll()
    withExtendedLifetime(dropped) {}
  }
}

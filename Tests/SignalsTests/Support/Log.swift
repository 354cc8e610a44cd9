import Signals

/// What happened, in order, whichever threads it happened on.
final class Log<Entry: Sendable>: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var stored: [Entry] = []  // Sound: guarded by the lock.

  var entries: [Entry] { lock.withLock { stored } }

  func add(_ entry: Entry) {
    lock.withLock { stored.append(entry) }
  }
}

/// A number that threads change together.
final class Counter: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var stored = 0  // Sound: guarded by the lock.

  var value: Int { lock.withLock { stored } }

  @discardableResult
  func add(_ amount: Int = 1) -> Int {
    lock.withLock {
      stored += amount
      return stored
    }
  }
}

/// A place for a value that a closure needs before it exists.
final class Box<Value: Sendable>: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var stored: Value?  // Sound: guarded by the lock.

  init(_ value: Value? = nil) {
    stored = value
  }

  var value: Value? {
    get { lock.withLock { stored } }
    set {
      let old = lock.withLock {
        let old = stored
        stored = newValue
        return old
      }
      withExtendedLifetime(old) {}
    }
  }
}

/// An object whose life a test watches.
final class Probe: Sendable {
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void = {}) {
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }

  func touch() {}
}

/// A failure to send.
enum Mishap: Error, Equatable {
  case fire
  case flood
}

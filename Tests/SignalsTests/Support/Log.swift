import Signals

/// A log of events in order, whichever threads they happened on.
final class Log<Entry: Sendable>: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var stored: [Entry] = []  // Sound: guarded by the lock.

  var entries: [Entry] { lock.withLock { stored } }

  func add(_ entry: Entry) {
    lock.withLock { stored.append(entry) }
  }
}

/// A number that threads change concurrently.
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

/// Storage for a value that a closure needs before the value exists.
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

/// An object whose lifetime a test observes.
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

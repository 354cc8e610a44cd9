import Signals

@testable import Stores

/// Collects the change sets of a database in order.
final class Collected: @unchecked Sendable {  // Sound: guarded by the lock.
  private let lock = Lock()
  private var all: [ChangeSet] = []
  private var subscription: SignalSubscription?

  init(_ database: Database) {
    subscription = database.changes.sink { [weak self] changes in
      guard let self else { return }
      lock.withLock { self.all.append(changes) }
    }
  }

  /// All change sets so far.
  var sets: [ChangeSet] { lock.withLock { all } }

  /// Returns the change sets since the last call.
  func take() -> [ChangeSet] {
    lock.withLock {
      defer { all = [] }
      return all
    }
  }
}

extension Database {
  /// Runs statements in one write, and returns the reported changes.
  func changes(by script: String) throws -> ChangeSet? {
    let collected = Collected(self)
    try write { try $0.execute(script: script) }
    let sets = collected.take()
    precondition(sets.count < 2)
    return sets.first
  }
}

/// A value that several threads change.
final class Shared<Value: Sendable>: @unchecked Sendable {  // Sound: guarded by the lock.
  private let lock = Lock()
  private var content: Value

  init(_ value: Value) {
    content = value
  }

  var value: Value {
    get { lock.withLock { content } }
    set { lock.withLock { content = newValue } }
  }
}

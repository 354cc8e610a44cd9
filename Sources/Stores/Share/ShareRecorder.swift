import Signals

/// Writes down what this process changes, for the others.
final class ShareRecorder: CommitRecorder {
  private let author: String
  private let bell: ShareBell
  let limits: ShareLimits
  private let state: Guarded<State>

  private struct State {
    /// The tables that are shared; `nil` for all.
    var scope: Set<String>?
    var isEnded = false
    var isRingDue = false
    /// The number of the change with which the history is trimmed next.
    var nextTrim: Int64 = 0
    /// The number of the change with which it was trimmed, until that is committed.
    var trimmed: Int64?
    var file = File(number: 0, newest: 0)
    var fileObserver: (@Sendable () -> Void)?
  }

  /// One of the files that have been in the place of the first, and the number of its last change when it came.
  struct File: Sendable {
    var number: Int
    var newest: Int64
  }

  init(author: String, scope: Set<String>?, limits: ShareLimits, bell: ShareBell) {
    self.author = author
    state = Guarded(State(scope: scope))
    self.limits = limits
    self.bell = bell
  }

  /// The tables that are shared; `nil` for all.
  var scope: Set<String>? {
    get { state.withLock { $0.scope } }
    set { state.withLock { $0.scope = newValue } }
  }

  /// The file that is there now.
  var file: File { state.withLock { $0.file } }

  /// Has a closure called when another file has come.
  func onFileChange(_ observer: @escaping @Sendable () -> Void) {
    state.withLock { $0.fileObserver = observer }
  }

  func fileDidChange(on connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
    guard !isOver else { return 0 }
    try connection.execute(ShareTables.script)
    bell.renew()
    let newest = try connection.value(ShareTables.newest).int64Value ?? 0
    let observer = state.withLock { state in
      state.nextTrim = 0
      state.file = File(number: state.file.number + 1, newest: newest)
      return state.fileObserver
    }
    observer?()
    return newest
  }

  var isOver: Bool { state.withLock { $0.isEnded } }

  /// Records no more; may be called in the midst of a transaction, which is recorded or not.
  func end() {
    state.withLock { $0.isEnded = true }
  }

  /// Whether the changes of a table are shared.
  func shares(_ table: String) -> Bool { scope?.contains(table) ?? true }

  /// What of a change is shared; `nil` if nothing is.
  func shared(_ tables: [String: TableChanges]) -> [String: TableChanges]? {
    guard let scope else { return tables.isEmpty ? nil : tables }
    let shared = tables.filter { name, _ in scope.contains(name) }
    return shared.isEmpty ? nil : shared
  }

  func record(_ tables: [String: TableChanges], on connection: SQLiteConnection) throws(DatabaseError) -> Int64? {
    guard let tables = shared(tables) else { return nil }
    let now = ShareLimits.now
    let sequence = try ShareTables.append(
      ChangeCoding.encode(tables), author: author, time: now, on: connection)
    let mustTrim = state.withLock { state in
      state.isRingDue = true
      return sequence >= state.nextTrim
    }
    if mustTrim {
      try ShareTables.trim(limits, leavingBehind: now - limits.peerAge, on: connection)
      state.withLock { $0.trimmed = sequence }
    }
    return sequence
  }

  func didCommit() {
    let mustRing = state.withLock { [limits] state in
      // The largest number of all, which any member of a group can write into the file, has none after it.
      if let trimmed = state.trimmed.take() {
        state.nextTrim = min(trimmed, .max - 256) + Int64(limits.trimInterval)
      }
      defer { state.isRingDue = false }
      return state.isRingDue
    }
    if mustRing { bell.ring() }
  }
}

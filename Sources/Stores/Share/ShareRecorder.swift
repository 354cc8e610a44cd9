import FileSignals
import Signals

/// The recorder of this process's changes for the other processes.
final class ShareRecorder: Sendable {
  private let author: String
  private let bell: ShareBell
  let limits: ShareLimits
  private let state: Guarded<State>

  private struct State {
    /// The tables that are shared, or `nil` for all tables.
    var scope: Set<String>?
    var isEnded = false
    var isRingDue = false
    /// The number of the change at which the history is trimmed next.
    var nextTrim: Int64 = 0
    /// The number of the change at which the history was trimmed, until that is committed.
    var trimmed: Int64?
    var file = File(number: 0, newest: 0)
    var fileObserver: (@Sendable () -> Void)?
  }

  /// One of the successive files of the database, and the number of its last change when it was opened.
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

  /// The tables that are shared, or `nil` for all tables.
  var scope: Set<String>? {
    get { state.withLock { $0.scope } }
    set { state.withLock { $0.scope = newValue } }
  }

  /// The current file.
  var file: File { state.withLock { $0.file } }

  /// Sets a closure that is called when another file has replaced the current one.
  ///
  /// It is not a signal, because the caller's transaction waits until the one receiver has noted the file.
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

  /// Stops recording.
  ///
  /// During a transaction, that transaction may still be recorded.
  func end() {
    state.withLock { $0.isEnded = true }
  }

  /// Returns a Boolean value that indicates whether the changes of a table are shared.
  ///
  /// The workers of all processes follow the jobs of work queues.
  func shares(_ table: String) -> Bool { table == SQL.jobTable || scope?.contains(table) ?? true }

  /// Returns the part of a change that is shared, or `nil` if none is.
  func shared(_ tables: [String: TableChanges]) -> [String: TableChanges]? {
    let shared = tables.filter { name, _ in shares(name) }
    return shared.isEmpty ? nil : shared
  }

  func record(_ tables: [String: TableChanges], on connection: SQLiteConnection) throws(DatabaseError) -> Int64? {
    guard let tables = shared(tables) else { return nil }
    let now = ShareLimits.now
    let sequence = try ShareTables.append(
      ChangeCoding.encode(tables, .current), author: author, time: now, on: connection)
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
      // The largest possible number, which any member of a group can write into the file, has no successor.
      if let trimmed = state.trimmed.take() {
        state.nextTrim = min(trimmed, .max - 256) + Int64(limits.trimInterval)
      }
      defer { state.isRingDue = false }
      return state.isRingDue
    }
    if mustRing { bell.ring() }
  }
}

import Signals

/// Writes down what this process changes, for the others.
final class ShareRecorder: CommitRecorder, @unchecked Sendable {
  // Sound: the scope is guarded by the lock; the rest is used in the database's turn to write.

  private let author: String
  private let bell: ShareBell
  let limits: ShareLimits
  private let lock = Lock()
  private var scope: Set<String>
  private var isEnded = false
  private var isRingDue = false
  /// The number of the change with which the history is trimmed next.
  private var nextTrim: Int64 = 0
  /// The number of the change with which it was trimmed, until that is committed.
  private var trimmed: Int64?
  private var current = File(number: 0, newest: 0)
  private var fileObserver: (@Sendable () -> Void)?

  /// One of the files that have been in the place of the first, and the number of its last change when it came.
  struct File {
    var number: Int
    var newest: Int64
  }

  init(author: String, scope: Set<String>, limits: ShareLimits, bell: ShareBell) {
    self.author = author
    self.scope = scope
    self.limits = limits
    self.bell = bell
  }

  var sharedNames: Set<String> {
    get { lock.withLock { scope } }
    set { lock.withLock { scope = newValue } }
  }

  /// The file that is there now.
  var file: File { lock.withLock { current } }

  /// Has a closure called when another file has come.
  func onFileChange(_ observer: @escaping @Sendable () -> Void) {
    lock.withLock { fileObserver = observer }
  }

  func fileDidChange(on connection: SQLiteConnection) throws(DatabaseError) -> Int64 {
    guard !isOver else { return 0 }
    try connection.execute(ShareTables.script)
    bell.renew()
    nextTrim = 0
    let newest = try connection.value(ShareTables.newest).int64Value ?? 0
    let observer = lock.withLock {
      current = File(number: current.number + 1, newest: newest)
      return fileObserver
    }
    observer?()
    return newest
  }

  var isOver: Bool { lock.withLock { isEnded } }

  /// Records no more; may be called in the midst of a transaction, which is recorded or not.
  func end() {
    lock.withLock { isEnded = true }
  }

  /// What of a change is shared; `nil` if nothing is.
  func shared(_ tables: [String: TableChanges]) -> [String: TableChanges]? {
    let scope = sharedNames
    let shared = tables.filter { name, _ in scope.contains(name) }
    return shared.isEmpty ? nil : shared
  }

  func record(_ tables: [String: TableChanges], on connection: SQLiteConnection) throws(DatabaseError) -> Int64? {
    guard let tables = shared(tables) else { return nil }
    let now = ShareLimits.now
    let sequence = try ShareTables.append(
      ChangeCoding.encode(tables), author: author, time: now, on: connection)
    if sequence >= nextTrim {
      try ShareTables.trim(limit: limits.trimmedCount, leavingBehind: now - limits.peerAge, on: connection)
      trimmed = sequence
    }
    isRingDue = true
    return sequence
  }

  func didCommit() {
    // The largest number of all, which any member of a group can write into the file, has none after it.
    if let trimmed { nextTrim = min(trimmed, .max - 256) + Int64(limits.trimInterval) }
    trimmed = nil
    guard isRingDue else { return }
    isRingDue = false
    bell.ring()
  }
}

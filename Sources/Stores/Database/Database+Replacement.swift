import AppGroups
import FileSignals
import Signals

/// Following a cache that another process has created again.
///
/// A process that finds a cache damaged removes it and creates another file. The connections of the other processes
/// still have the removed one, in which no process would find what they write.
extension Database {
  /// The error of an operation on a file that is no longer at its path.
  struct FileHasLeft: Error {}

  /// Runs an operation, and repeats it in the new file if the file of a cache is no longer at its path.
  @inline(__always)
  func following<Result>(_ operation: () throws -> Result) throws -> Result {
    do {
      return try operation()
    } catch is FileHasLeft {
      do {
        if try followReplacement() { return try operation() }
        // SQLite also counts a file that it could not examine as moved.
        if try DatabaseError.status(location.path) != nil, hasLeftItsPath != true { return try operation() }
      } catch is FileHasLeft {
        // It has left again.
      }
      throw DatabaseError.fileRemoved(path: location.path)
    }
  }

  /// Opens the file that has taken the place of a cache's, or creates it, if another process has removed the old one.
  ///
  /// - Returns: `false` if the database is no cache, or if this thread is in a transaction.
  /// - Throws: ``DatabaseError`` if the contents of the scope could not be kept in place.
  func followReplacement() throws(DatabaseError) -> Bool {
    guard isReplaceable, !isInTransactionOfThisThread, !pauses.isHeldByThisThread else { return false }
    let changes = ScopeChanges()
    // In a scope, the file may also have left because of a switch, which the members follow first.
    try Self.steadily(scope, location) { () throws(DatabaseError) in
      _ = try holdForSwitch(within: nil)
      guard hasLeftItsPath == true else { return letGo() }
      settleForSwitch()
      let prepared = prepareSwitch(.switched, closes: false)
      changes.publish { prepared.publish(into: changes) }
      prepared.resume()
    }
    changes.send()
    return true
  }

  /// Follows the replacement of a cache, if there is one, because of an event.
  ///
  /// - Returns: `false` if a transaction is in progress, so that the file must be checked again later.
  func followReplacementAfterEvent() -> Bool {
    guard isReplaceable, let hasLeftItsPath else { return !isReplaceable }
    guard hasLeftItsPath else { return true }
    // The next event or write makes another attempt.
    tolerating { _ = try followReplacement() }
    return true
  }

  private var isReplaceable: Bool { file.policy == .cache && file.location != .memory && file.access != .immutable }

  /// A Boolean value that indicates whether the file is no longer at its path; `nil` if a write is in progress.
  private var hasLeftItsPath: Bool? {
    if readers?.haveLeftTheirPath == true { return true }
    return file.access == .readWrite ? writer.hasLeftItsPath : false
  }
}

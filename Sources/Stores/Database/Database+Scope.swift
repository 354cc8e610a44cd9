package import AppGroups
import Dispatch
import FileSignals
import Foundation
import Signals

extension Database {
  /// Runs a closure while the contents of a scope are not switched.
  static func steadily<Result>(
    _ scope: Scope?, _ location: DatabaseLocation, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard let scope, location != .memory else { return try body() }
    return try scope.steadily(
      orThrow: {
        if case .suspended = $0 as? DurableFileError { return .suspended(path: location.path, operation: "open") }
        return .unopenable(location.path, because: "\($0)")
      }, body)
  }
}

extension Scope {
  /// Returns whether a file is in the directory whose contents are switched, with or without following links.
  func contains(_ file: URL) -> Bool {
    let paths = { (url: URL) in [url.standardizedFileURL.path, url.resolvingSymlinksInPath().standardizedFileURL.path] }
    let directory = file.deletingLastPathComponent()
    return zip(paths(directory), paths(root)).contains { $0.utf8.elementsEqual($1.utf8) || $0.isPath(below: $1) }
  }
}

extension Database: ScopeMember {
  package var delaysSwitchOnThisThread: Bool { isInTransactionOfThisThread }

  /// Waits for running transactions; later transactions wait.
  package func holdForSwitch(within patience: Duration?) throws(DatabaseError) -> Bool {
    try refuseWaiting("switch")
    guard let pause = pauses.begin(within: patience) else { return false }
    guard readers?.hold(pause, within: patience) ?? true else {
      pauses.end()
      return false
    }
    guard writer.hold(within: patience) else {
      readers?.letGo()
      pauses.end()
      return false
    }
    return true
  }

  /// Lets transactions continue with the same connections.
  package func letGo() {
    // In a transaction of this thread, the database could not be held.
    guard pauses.isHeldByThisThread else { return }
    writer.letGo()
    readers?.letGo()
    pauses.end()
  }

  /// Closes the file.
  package func settleForSwitch() {
    guard let pause = pauses.pauseOfThisThread else { return }
    writer.settle(pause)
    readers?.settle()
  }

  /// Opens the new file, or the same one again, and reads the new values of live queries and rows.
  package func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    prepareSwitch(outcome, closes: outcome == .switched && scopePolicy == .closes)
  }

  /// Opens the new file, or the same one again, and reads the new values of live queries and rows.
  ///
  /// - Parameters:
  ///   - outcome: The outcome of the switch.
  ///   - closes: A Boolean value that determines whether to close the database instead.
  /// - Returns: The new file, with the values.
  func prepareSwitch(_ outcome: ScopeOutcome, closes: Bool) -> PreparedSwitch {
    guard pauses.isHeldByThisThread else { return prepareSwitchAfterTransaction(outcome) }
    let next = writer.closedReason == nil && !closes ? openNewContents(outcome) : NewFile()
    return PreparedSwitch(
      publish: { [self] changes in
        if closes, !writer.isClosed { writer.close(.switched(path: location.path)) }
        publish(next, outcome, into: changes)
      },
      resume: { [self] in
        writer.resume(with: next.writer, observed: regions.observedTables)
        readers?.resume(writer.closedReason ?? next.failure)
        let wasAwaiting = regions.endAwaitingSwitch()
        pauses.end()
        // Observers that have begun in the meantime have read nothing.
        if wasAwaiting { DispatchQueue.global().async { [regions] in regions.tellSkipped() } }
      })
  }

  /// Prepares a switch on a thread that is in a transaction, which ends in the old contents.
  ///
  /// Their rows are no longer shown.
  private func prepareSwitchAfterTransaction(_ outcome: ScopeOutcome) -> PreparedSwitch {
    let isAwaited = outcome == .switched && scopePolicy == .follows && !writer.isClosed
    let observers = isAwaited ? regions.prepareSwitch(.awaited) : []
    return PreparedSwitch { [self] changes in
      for observer in observers { observer.publish(into: changes) }
      DispatchQueue.global().async { [self] in
        do { try beginSwitch() } catch { stop(because: "A new thread is already in a transaction") }
        endSwitch(outcome)
      }
    }
  }

  /// The file after a switch, which is not in use yet.
  private struct NewFile {
    var writer: DatabaseWriter.Next?
    /// The reason why the file cannot be used.
    var failure: DatabaseError?
    var schemaOutcome: SchemaOutcome??
    var observers: [PreparedSwitch] = []
  }

  private func openNewContents(_ outcome: ScopeOutcome) -> NewFile {
    let opened = Result { () throws(DatabaseError) in
      let now = location.resolved
      guard now == file.location else {
        throw .unopenable(
          location.path,
          because: "its path leads to \(now.path) since the switch, and it was opened as \(file.location.path)")
      }
      return try file.open()
    }
    let next = writer.prepare(with: opened, version: file.schema?.version, isOther: outcome == .switched)
    var new = NewFile(writer: next, failure: next.failure)
    if case .success(let file) = opened { new.schemaOutcome = .some(file.outcome) }
    guard outcome == .switched else { return new }
    if let failure = new.failure {
      new.observers = regions.prepareSwitch(.failing(failure))
      return new
    }
    do {
      try readers?.prepare { new.observers = regions.prepareSwitch(.readable) }
    } catch {
      let failure = error as? DatabaseError ?? .unopenable(location.path, because: "\(error)")
      new.observers = regions.prepareSwitch(.failing(failure))
    }
    return new
  }

  /// Stores the values that were read.
  private func publish(_ new: NewFile, _ outcome: ScopeOutcome, into changes: ScopeChanges) {
    for observer in new.observers { observer.publish(into: changes) }
    let failure = writer.closedReason ?? new.failure
    if let schemaOutcome = new.schemaOutcome { lastOutcome.value = schemaOutcome }
    mutableStatus.value = failure.map(DatabaseStatus.closed) ?? .open
    changes.afterwards { [self] in
      delivery.flush()
      if failure != nil, writer.isClosed { delivery.finish() }
      // After a switch, live queries and rows have already read the new contents.
      if failure != nil, outcome == .unchanged || writer.isClosed { return regions.tellAll() }
      if outcome == .unchanged { regions.tellStale() }
    }
  }

  /// Begins a switch of this database alone.
  func beginSwitch() throws(DatabaseError) {
    // Without a limit, it waits as long as it takes.
    _ = try holdForSwitch(within: nil)
    settleForSwitch()
  }

  /// Ends a switch that this database alone was held for, and sends its changes.
  func endSwitch(_ outcome: ScopeOutcome) {
    let changes = ScopeChanges()
    let prepared = prepareSwitch(outcome)
    changes.publish { prepared.publish(into: changes) }
    prepared.resume()
    changes.send()
  }

  /// Reports a change of everything to all observers.
  func tellEverything(_ origin: ChangeOrigin, sequence: Int64) {
    writer.tellEverything(origin, sequence: sequence, observed: regions.observedTables)
    delivery.flush()
  }
}

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

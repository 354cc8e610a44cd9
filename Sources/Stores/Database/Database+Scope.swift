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
  package func prepareSwitch(_ outcome: ScopeOutcome) {
    guard pauses.isHeldByThisThread else {
      // This thread is in a transaction, which ends in the old contents. Their rows are no longer shown.
      if outcome == .switched, scopePolicy == .follows, !writer.isClosed { regions.awaitSwitch() }
      return
    }
    guard writer.closedReason == nil else { return }
    if outcome == .switched, closesOnSwitch { return }
    let opened = Result { () throws(DatabaseError) in
      let now = location.resolved
      guard now == file.location else {
        throw .unopenable(
          location.path,
          because: "its path leads to \(now.path) since the switch, and it was opened as \(file.location.path)")
      }
      return try file.open()
    }
    let failure = writer.prepare(with: opened, version: file.schema?.version, isOther: outcome == .switched)
    switching.withLock { switching in
      switching.failure = failure
      if case .success(let file) = opened { switching.schemaOutcome = .some(file.outcome) }
    }
    guard outcome == .switched else { return }
    if let failure { return regions.prepareSwitch(failing: failure) }
    do {
      try readers?.prepare { regions.prepareSwitch(failing: nil) }
    } catch {
      regions.prepareSwitch(failing: error as? DatabaseError ?? .unopenable(location.path, because: "\(error)"))
    }
  }

  private var closesOnSwitch: Bool { scopePolicy == .closes && !switching.withLock { $0.isReplacement } }

  /// Stores the values that were read.
  package func publishSwitch(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    regions.publishSwitch(into: changes)
    guard pauses.isHeldByThisThread else {
      // The transaction of this thread comes first.
      return DispatchQueue.global().async { [self] in
        do { try beginSwitch() } catch { stop(because: "A new thread is already in a transaction") }
        endSwitch(outcome)
      }
    }
    if outcome == .switched, closesOnSwitch, !writer.isClosed { writer.close(.switched(path: location.path)) }
    let reason = writer.closedReason
    let (failure, schemaOutcome) = switching.withLock { switching in
      switching.failure = reason ?? switching.failure
      return (switching.failure, switching.schemaOutcome.take())
    }
    if let schemaOutcome { lastOutcome.value = schemaOutcome }
    mutableStatus.value = failure.map(DatabaseStatus.closed) ?? .open
    changes.afterwards { [self] in
      delivery.flush()
      if failure != nil, writer.isClosed { delivery.finish() }
      // After a switch, live queries and rows have already read the new contents.
      if failure != nil, outcome == .unchanged || writer.isClosed { return regions.tellAll() }
      if outcome == .unchanged { regions.tellStale() }
    }
  }

  /// Lets all transactions continue with the opened file.
  package func resumeAfterSwitch() {
    guard pauses.isHeldByThisThread else { return }
    writer.resume(observed: regions.observedTables)
    readers?.resume(switching.withLock { $0.failure.take() })
    regions.endAwaitingSwitch()
    pauses.end()
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
    prepareSwitch(outcome)
    changes.publish { publishSwitch(outcome, into: changes) }
    resumeAfterSwitch()
    changes.send()
  }

  /// Reports a change of everything to all observers.
  func tellEverything(_ origin: ChangeOrigin, sequence: Int64) {
    writer.tellEverything(origin, sequence: sequence, observed: regions.observedTables)
    delivery.flush()
  }
}

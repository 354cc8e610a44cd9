package import AppGroups
import Dispatch
import FileSignals
import Foundation
import Signals

extension Database {
  /// Runs a closure while the contents of a scope are not swapped.
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
  /// Returns whether a file is in the directory whose contents are swapped, with or without following links.
  func contains(_ file: URL) -> Bool {
    let paths = { (url: URL) in [url.standardizedFileURL.path, url.resolvingSymlinksInPath().standardizedFileURL.path] }
    let directory = file.deletingLastPathComponent()
    return zip(paths(directory), paths(root)).contains { $0.utf8.elementsEqual($1.utf8) || $0.isPath(below: $1) }
  }
}

extension Database: ScopeMember {
  package var delaysSwapOnThisThread: Bool { isInTransactionOfThisThread }

  /// Waits for running transactions; later transactions wait.
  package func holdForSwap(within patience: Duration?) throws(DatabaseError) -> Bool {
    try refuseWaiting("swap")
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
  package func settleForSwap() {
    guard let pause = pauses.pauseOfThisThread else { return }
    writer.settle(pause)
    readers?.settle()
  }

  /// Opens the new file, or the same one again, and reads the new values of live queries and rows.
  package func prepareSwap(_ outcome: ScopeOutcome) {
    guard pauses.isHeldByThisThread else {
      // This thread is in a transaction, which ends in the old contents. Their rows are no longer shown.
      if outcome == .swapped, scopePolicy == .follows, !writer.isClosed { regions.awaitSwap() }
      return
    }
    guard writer.closedReason == nil else { return }
    if outcome == .swapped, closesOnSwap { return }
    let opened = Result { () throws(DatabaseError) in
      let now = location.resolved
      guard now == file.location else {
        throw .unopenable(
          location.path,
          because: "its path leads to \(now.path) since the swap, and it was opened as \(file.location.path)")
      }
      return try file.open()
    }
    let failure = writer.prepare(with: opened, version: file.schema?.version, isOther: outcome == .swapped)
    swap.withLock { swap in
      swap.failure = failure
      if case .success(let file) = opened { swap.schemaOutcome = .some(file.outcome) }
    }
    guard outcome == .swapped else { return }
    if let failure { return regions.prepareSwap(failing: failure) }
    do {
      try readers?.prepare { regions.prepareSwap(failing: nil) }
    } catch {
      regions.prepareSwap(failing: error as? DatabaseError ?? .unopenable(location.path, because: "\(error)"))
    }
  }

  private var closesOnSwap: Bool { scopePolicy == .closes && !swap.withLock { $0.isReplacement } }

  /// Stores the values that were read.
  package func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    regions.publishSwap(into: changes)
    guard pauses.isHeldByThisThread else {
      // The transaction of this thread comes first.
      return DispatchQueue.global().async { [self] in
        do { try beginSwap() } catch { stop(because: "A new thread is already in a transaction") }
        endSwap(outcome)
      }
    }
    if outcome == .swapped, closesOnSwap, !writer.isClosed { writer.close(.swapped(path: location.path)) }
    let reason = writer.closedReason
    let (failure, schemaOutcome) = swap.withLock { swap in
      swap.failure = reason ?? swap.failure
      return (swap.failure, swap.schemaOutcome.take())
    }
    if let schemaOutcome { lastOutcome.value = schemaOutcome }
    mutableStatus.value = failure.map(DatabaseStatus.closed) ?? .open
    changes.afterwards { [self] in
      delivery.flush()
      if failure != nil, writer.isClosed { delivery.finish() }
      // After a swap, live queries and rows have already read the new contents.
      if failure != nil, outcome == .unchanged || writer.isClosed { return regions.tellAll() }
      if outcome == .unchanged { regions.tellStale() }
    }
  }

  /// Lets all transactions continue with the opened file.
  package func resumeAfterSwap() {
    guard pauses.isHeldByThisThread else { return }
    writer.resume(observed: regions.observedTables)
    readers?.resume(swap.withLock { $0.failure.take() })
    regions.endAwaitingSwap()
    pauses.end()
  }

  /// Begins a swap of this database alone.
  func beginSwap() throws(DatabaseError) {
    // Without a limit, it waits as long as it takes.
    _ = try holdForSwap(within: nil)
    settleForSwap()
  }

  /// Ends a swap that this database alone was held for, and sends its changes.
  func endSwap(_ outcome: ScopeOutcome) {
    let changes = ScopeChanges()
    prepareSwap(outcome)
    changes.publish { publishSwap(outcome, into: changes) }
    resumeAfterSwap()
    changes.send()
  }

  /// Reports a change of everything to all observers.
  func tellEverything(_ origin: ChangeOrigin, sequence: Int64) {
    writer.tellEverything(origin, sequence: sequence, observed: regions.observedTables)
    delivery.flush()
  }
}

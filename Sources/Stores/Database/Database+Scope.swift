package import AppGroups
import Dispatch
import Foundation
import Signals

extension Database {
  /// Runs a closure while the contents of a scope are not swapped.
  static func steadily<Result>(
    _ scope: Scope?, _ location: DatabaseLocation, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    guard let scope, location != .memory else { return try body() }
    do {
      return try scope.steadily(body)
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw .unopenable(location.path, because: "\(error)")
    }
  }
}

extension Scope {
  /// Whether a file lies in the directory whose contents are swapped, as it is written or with links followed.
  func contains(_ file: URL) -> Bool {
    let paths = { (url: URL) in [url.standardizedFileURL.path, url.resolvingSymlinksInPath().standardizedFileURL.path] }
    let directory = file.deletingLastPathComponent()
    return zip(paths(directory), paths(root)).contains { $0 == $1 || $0.hasPrefix($1 + "/") }
  }
}

extension Database: ScopeMember {
  package var delaysSwapOnThisThread: Bool { isInTransactionOfThisThread }

  /// Waits for the transactions that have begun, and closes all that is open of the file; who comes then waits.
  package func holdForSwap() throws(DatabaseError) {
    try refuseWaiting("swap")
    let pause = pauses.begin()
    writer.pause(pause)
    readers?.pause(pause)
  }

  /// Opens what is there now, or the same again.
  package func prepareSwap(_ outcome: ScopeOutcome) {
    guard pauses.isHeldByThisThread, writer.closedReason == nil else { return }
    if outcome == .swapped, scopePolicy == .closes { return }
    prepared = Result { () throws(DatabaseError) in try file.open() }
  }

  /// Lets all go on with what was opened.
  package func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    guard pauses.isHeldByThisThread else {
      // This thread was in a transaction, which comes first.
      return DispatchQueue.global().async { [self] in
        do { try holdForSwap() } catch { stop(because: "A thread that has just begun was found in a transaction") }
        endSwap(outcome)
      }
    }
    let opened = prepared.take()
    let failure: DatabaseError?
    if let reason = writer.closedReason {
      failure = reason
    } else if let opened {
      failure = resume(with: opened, isOther: outcome == .swapped)
    } else {
      failure = giveUp()
    }
    readers?.resume(failure)
    // Before anybody hears of it, who may close the database then.
    pauses.end()
    mutableStatus.value = failure.map(DatabaseStatus.closed) ?? .open
    // Whoever has closed it meanwhile may have said so before.
    if let reason = writer.closedReason, reason != failure { mutableStatus.value = .closed(reason) }
    changes.afterwards { [self] in
      // Who asks for a switch finds the new rows in live queries when it is over.
      if failure == nil, outcome == .swapped { regions.readAll() }
      delivery.flush()
      guard failure != nil else { return regions.tellStale() }
      if writer.isClosed { delivery.finish() }
      regions.tellAll()
    }
  }

  /// Ends a swap that this database alone was held for, and sends its changes.
  func endSwap(_ outcome: ScopeOutcome) {
    let changes = ScopeChanges()
    prepareSwap(outcome)
    changes.publish { publishSwap(outcome, into: changes) }
    changes.send()
  }

  private func giveUp() -> DatabaseError {
    let reason = DatabaseError.swapped(path: location.path)
    writer.close(reason)
    return reason
  }

  /// - Returns: The reason why it cannot be used.
  private func resume(with opened: Result<DatabaseFile.Opened, DatabaseError>, isOther: Bool) -> DatabaseError? {
    if case .success(let file) = opened { lastOutcome.value = file.outcome }
    return writer.resume(
      with: opened, version: file.schema?.version, isOther: isOther, observed: regions.observedTables)
  }

  /// Has everybody look at everything anew.
  func tellEverything(_ origin: ChangeOrigin, sequence: Int64) {
    writer.tellEverything(origin, sequence: sequence, observed: regions.observedTables)
    delivery.flush()
  }
}

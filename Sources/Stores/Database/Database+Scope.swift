package import AppGroups
import Dispatch
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

extension Database: ScopeMember {
  /// Waits for the transactions that have begun, and closes all that is open of the file; who comes then waits.
  package func holdForSwap() throws(DatabaseError) {
    try refuseWaiting("swap")
    let pause = pauses.begin()
    writer.pause(pause)
    readers?.pause(pause)
  }

  /// Opens what is there now, or the same again, and lets all go on.
  package func releaseAfterSwap(_ outcome: ScopeOutcome) {
    guard pauses.isHeldByThisThread else {
      // This thread was in a transaction, which comes first.
      return DispatchQueue.global().async { [self] in
        do { try holdForSwap() } catch { stop(because: "A thread that has just begun was found in a transaction") }
        releaseAfterSwap(outcome)
      }
    }
    let isOther = outcome == .swapped
    let failure =
      writer.closedReason ?? (isOther && scopePolicy == .closes ? giveUp() : reopen(isOther: isOther))
    readers?.resume(failure)
    // Before anybody hears of it, who may close the database then.
    pauses.end()
    delivery.flush()
    if failure != nil, writer.isClosed { delivery.finish() }
    mutableStatus.value = failure.map(DatabaseStatus.closed) ?? .open
    // Whoever has closed it meanwhile may have said so before.
    if let reason = writer.closedReason, reason != failure { mutableStatus.value = .closed(reason) }
    if failure != nil { regions.tellAll() }
  }

  private func giveUp() -> DatabaseError {
    let reason = DatabaseError.swapped(path: location.path)
    writer.close(reason)
    return reason
  }

  /// - Returns: Why it cannot be used.
  private func reopen(isOther: Bool) -> DatabaseError? {
    let opened: Result<DatabaseFile.Opened, DatabaseError>
    do throws(DatabaseError) {
      let file = try file.open()
      lastOutcome.value = file.outcome
      opened = .success(file)
    } catch {
      opened = .failure(error)
    }
    return writer.resume(
      with: opened, version: file.schema?.version, isOther: isOther, observed: regions.observedTables)
  }

  /// Has everybody look at everything anew.
  func tellEverything(_ origin: ChangeOrigin, sequence: Int64) {
    writer.tellEverything(origin, sequence: sequence, observed: regions.observedTables)
    delivery.flush()
  }
}

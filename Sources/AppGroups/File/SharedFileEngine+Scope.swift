import Dispatch
import FileSignals
import Signals
import Synchronization

/// The state of a shared file with regard to switches of the contents around it.
enum SwitchPhase: Sendable {
  /// No switch is in progress.
  case open

  /// A switch is in progress, during which the file is neither written nor read.
  case held

  /// The contents were switched, and the policy was to close the file.
  case closed
}

extension SharedFileEngine: ScopeMember {
  // A thread finds its own identity here only if it stored it itself.
  var delaysSwitchOnThisThread: Bool { writingThread.load(ordering: .relaxed) == ThreadIdentity.current.address }

  /// Waits for writers to finish, and keeps new ones waiting.
  ///
  /// It acquires the lock of the file, so the writers of other processes wait, too. Each writer that acquires the lock
  /// later checks whether the path still leads to the file that it waited for.
  @available(*, noasync)
  func holdForSwitch(within patience: Duration?) throws -> Bool {
    guard memory.withLock({ $0.phase != .closed }) else { return true }
    do throws(AppGroupsFileError) {
      held = try location.lockForSwitch(within: patience)
    } catch {
      guard patience != nil, case .inaccessible(.lockTimeout) = error else { throw error }
      return false
    }
    memory.withLock { $0.phase = .held }
    return true
  }

  /// Leaves the whole content in the file.
  @available(*, noasync)
  func settleForSwitch() {
    guard let held, memory.withLock({ $0.phase == .held }) else { return }
    // A journal stays beside its file if that fails.
    settleBeforeSwitch(held)
  }

  func letGo() {
    publish(nil, .unchanged, into: ScopeChanges())
  }

  @available(*, noasync)
  func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    let content = outcome == .switched && policy == .follows ? readNewContent() : nil
    return PreparedSwitch { [self] changes in publish(content, outcome, into: changes) }
  }

  /// The result of reading new contents, and the epoch in which the read began.
  private struct NewContent {
    let sight: Sight
    let epoch: UInt64
  }

  @available(*, noasync)
  private func readNewContent() -> NewContent? {
    let isOpen = memory.withLock { memory in
      guard memory.phase != .closed else { return false }
      // A member that could not be held follows the switch, too.
      memory.phase = .held
      return true
    }
    guard isOpen else { return nil }
    // Before the lock is released: later writes must be newer than the content that is read here.
    willSwitch()
    memory.withLock { $0.file.restart() }
    unlockHeld()
    let begun = snapshot()
    var sight = look(begun, trustsEmptiness: true)
    if case .failure(.missing) = sight.look, isCreating {
      do throws(AppGroupsFileError) {
        try create()
        sight = look(begun, trustsEmptiness: true)
      } catch {
        sight = Sight(look: .failure(error))
      }
    }
    return NewContent(sight: sight, epoch: begun.epoch)
  }

  private func publish(_ content: NewContent?, _ outcome: ScopeOutcome, into changes: ScopeChanges) {
    guard memory.withLock({ $0.phase != .closed }) else { return }
    if case .switched = outcome, case .closes = policy {
      close(into: changes)
      return unlockHeld()
    }
    let isLookDue = memory.withLock { memory in
      memory.phase = .open
      if outcome == .unchanged { memory.file.forgetRetry() }
      return exchange(&memory.isLookDue, with: false)
    }
    unlockHeld()
    if let content { publish(content, into: changes) }
    // Reads that were skipped during the switch.
    if outcome == .unchanged || isLookDue { queue.async { [weak self] in self?.lookNow() } }
  }

  private func unlockHeld() {
    held?.unlock()
    held = nil
  }

  /// Stores the result of reading the new contents.
  private func publish(_ content: NewContent, into changes: ScopeChanges) {
    if case .failure(let error) = content.sight.look {
      if abandon(error, begunIn: content.epoch) { changes.afterwards { self.report(error) } }
    } else {
      _ = conclude(content.sight, begunIn: content.epoch)
    }
  }

  /// Returns to the initial value, because the last good value belongs to other contents.
  private func abandon(_ error: AppGroupsFileError, begunIn epoch: UInt64) -> Bool {
    var delivery = SharedFileDelivery<Value>()
    let counts = memory.withLock { memory in
      guard memory.file.epoch == epoch else { return false }
      let isInitial = memory.file.known == nil
      memory.file.abandon(error)
      (memory.mark, rebased) = (nil, nil)
      if !isInitial { delivery.value = value.stage(initialValue) }
      stageStatus(&memory, in: &delivery)
      return true
    }
    delivery.send()
    return counts
  }

  private func close(into changes: ScopeChanges) {
    let error = AppGroupsFileError.closedBySwitch(location.url)
    var delivery = SharedFileDelivery<Value>()
    memory.withLock { memory in
      memory.phase = .closed
      memory.file.close(error)
      stageStatus(&memory, in: &delivery)
    }
    delivery.send()
    // The policy of the file asks for it.
    changes.afterwards { self.failures.deliver(error) }
  }

  func checkOpen() throws(AppGroupsFileError) {
    guard memory.withLock({ $0.phase != .closed }) else { throw .closedBySwitch(location.url) }
  }
}

extension Scope {
  /// Runs a closure that creates something in a root, while the contents of the root are not being switched.
  ///
  /// Without a scope, the closure runs at once.
  static func steadily<Result>(
    _ scope: Scope?, _ body: () throws(AppGroupsFileError) -> Result
  ) throws(AppGroupsFileError) -> Result {
    guard let scope else { return try body() }
    return try scope.steadily(orThrow: { scope.failure("open", $0) }, body)
  }

  /// Runs a closure that reads a file without a lock, once more if the contents of the root may have been moved back.
  static func reading<Result>(
    _ scope: Scope?, _ body: () throws(AppGroupsFileError) -> Result
  ) throws(AppGroupsFileError) -> Result {
    guard let scope else { return try body() }
    return try scope.reading(orThrow: { scope.failure("read", $0) }, body)
  }

  private func failure(_ operation: String, _ error: any Error) -> AppGroupsFileError {
    if case .suspended(let url) = error as? DurableFileError { return .suspended(url, operation: operation) }
    return .unusableContainer(.unusableDirectory(root, reason: "\(error)"))
  }
}

/// A shared file holds a lock only during an operation, which a suspension waits for.
extension SharedFileEngine: Suspendable {
  var suspensionStage: SuspensionStage { journaling == nil ? .readers : .holders }

  @available(*, noasync)
  func endWorkForSuspension() {
    do throws(AppGroupsFileError) {
      try settle()
    } catch {
      // Another process does it, or the next one that opens the file.
    }
  }

  func resumeAfterSuspension() {
    queue.async { [weak self] in self?.lookNow() }
  }
}

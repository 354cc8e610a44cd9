import Dispatch
import FileSignals
import Signals

/// How a shared file stands to a swap of the contents around it.
enum SwapPhase: Sendable {
  /// None is under way.
  case open

  /// One is: nobody writes, and nobody looks.
  case held

  /// One has been, and the file was to be closed.
  case closed
}

extension SharedFileEngine: ScopeMember {
  /// Waits for those who write, and keeps new ones waiting.
  ///
  /// The file's own lock does that, so those of other processes wait as well; each finds out with the lock whether the
  /// path still leads to the file that it waited for.
  @available(*, noasync)
  func holdForSwap() throws {
    guard memory.withLock({ $0.phase != .closed }) else { return }
    held = try location.lockForSwap()
    memory.withLock { $0.phase = .held }
  }

  func releaseAfterSwap(_ outcome: ScopeOutcome) {
    guard memory.withLock({ $0.phase != .closed }) else { return }
    switch (outcome, policy) {
    case (.unchanged, _):
      memory.withLock { memory in
        memory.phase = .open
        memory.file.forgetRetry()
      }
      unlockHeld()
      // What was not looked at meanwhile.
      queue.async { [weak self] in self?.lookNow() }
    case (.swapped, .follows):
      // Before others get at the file: what they write then is newer than what is seen here.
      willGoOver()
      memory.withLock { $0.file.restart() }
      unlockHeld()
      goOver()
    case (.swapped, .closes):
      close()
      unlockHeld()
    }
  }

  private func unlockHeld() {
    held?.unlock()
    held = nil
  }

  /// Takes in what the new contents have in the file's place.
  @available(*, noasync)
  private func goOver() {
    memory.withLock { $0.phase = .open }
    var mayCreate = isCreating
    while true {
      let (known, epoch) = snapshot()
      var look = look(known: known, trustsEmptiness: true)
      if case .failure(.missing) = look, mayCreate {
        mayCreate = false
        do throws(AppGroupsFileError) {
          try create()
          continue
        } catch {
          look = .failure(error)
        }
      }
      if case .failure(let error) = look {
        if abandon(error, begunIn: epoch) { return }
      } else if conclude(look, begunIn: epoch) {
        return
      }
    }
  }

  /// Goes back to the initial value, since the last good one is that of other contents.
  private func abandon(_ error: AppGroupsFileError, begunIn epoch: UInt64) -> Bool {
    var delivery = SharedFileDelivery<Value>()
    let counts = memory.withLock { memory in
      guard memory.file.epoch == epoch else { return false }
      let isInitial = memory.file.known == nil
      memory.file.abandon(error)
      if !isInitial { delivery.value = value.stage(initialValue) }
      stage(memory.file.problem, in: &delivery)
      return true
    }
    delivery.send()
    if counts { report(error) }
    return counts
  }

  private func close() {
    let error = AppGroupsFileError.closedBySwap(location.url)
    var delivery = SharedFileDelivery<Value>()
    memory.withLock { memory in
      memory.phase = .closed
      memory.file.close(error)
      stage(memory.file.problem, in: &delivery)
    }
    delivery.send()
    failures.send(error)
  }

  func checkOpen() throws(AppGroupsFileError) {
    guard memory.withLock({ $0.phase != .closed }) else { throw .closedBySwap(location.url) }
  }
}

extension SharedFileLocation {
  /// A file in a root whose contents may be swapped; its directory is made if need be.
  init(name: String, scope: Scope) throws(AppGroupsFileError) {
    self = try Scope.steadily(scope) { () throws(AppGroupsFileError) in
      do {
        let container = try AppGroupsContainer(directory: scope.root)
        return try SharedFileLocation(name: name, container: container, scope: scope)
      } catch let error as AppGroupsError {
        throw AppGroupsFileError.unusableContainer(error)
      } catch let error as AppGroupsFileError {
        throw error
      } catch {
        throw AppGroupsFileError.unusableContainer(.unusableDirectory(scope.root, reason: "\(error)"))
      }
    }
  }
}

extension Scope {
  /// Runs a closure that makes something in a root, if it is in one whose contents may be swapped, while they are not.
  static func steadily<Result>(
    _ scope: Scope?, _ body: () throws(AppGroupsFileError) -> Result
  ) throws(AppGroupsFileError) -> Result {
    guard let scope else { return try body() }
    do {
      return try scope.steadily(body)
    } catch let error as AppGroupsFileError {
      throw error
    } catch {
      throw .unusableContainer(.unusableDirectory(scope.root, reason: "\(error)"))
    }
  }
}

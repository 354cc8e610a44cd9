import AppGroups
import Dispatch
import Signals

/// A member of a scope that makes a session follow the switches of environments.
final class SessionFollower<User: SessionUser>: ScopeMember {
  private let environments: SessionEnvironments
  private let engine: SessionEngine<User>
  private let board: SessionBoard<User>
  /// The queue of the engine.
  private let queue: DispatchQueue
  private let next = Guarded<Next?>(nil)

  private struct Next {
    let session: SessionEngine<User>.NextSession
    let databases: SessionBoard<User>.NextDatabases
  }

  init(
    _ environments: SessionEnvironments, _ engine: SessionEngine<User>, _ board: SessionBoard<User>,
    queue: DispatchQueue
  ) {
    self.environments = environments
    self.engine = engine
    self.board = board
    self.queue = queue
  }

  var switchStage: ScopeStage { .dependents }

  /// Closes the archive.
  ///
  /// The archive is not in use, because every use blocks a switch of environments. This waits neither for the server
  /// nor for a subscriber.
  func settleForSwitch() {
    engine.vault.archive.close()
  }

  func prepareSwitch(_ outcome: ScopeOutcome) {
    guard outcome == .switched else { return }
    let session = engine.restoreNext(environments.advance())
    let userID: String? = if case .user(let stored) = session.restoration { stored.user.id } else { nil }
    let databases = board.prepareDatabases(of: userID)
    next.withLock { $0 = Next(session: session, databases: databases) }
  }

  func publishSwitch(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    guard outcome == .switched, let next = next.withLock({ $0.take() }) else { return }
    // The new session handles no events until all subscribers have seen the new environment.
    queue.suspend()
    let (shown, finish) = engine.switchSession(to: next.session)
    let close = board.switchContexts(
      to: shown, users: next.session.users, in: next.session.environment, with: next.databases)
    changes.afterwards { [queue] in
      finish()
      queue.resume()
      close()
    }
  }
}

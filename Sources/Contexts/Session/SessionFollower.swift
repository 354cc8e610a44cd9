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

  func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    guard outcome == .switched else { return PreparedSwitch() }
    let session = engine.restoreNext(environments.advance())
    let userID: String? = if case .user(let stored) = session.restoration { stored.user.id } else { nil }
    let databases = board.prepareDatabases(of: userID)
    return PreparedSwitch { [self] changes in
      // The new session handles no events until all subscribers have seen the new environment.
      queue.suspend()
      let (shown, finish) = engine.switchSession(to: session)
      changes.afterwards { [queue] in
        finish()
        queue.resume()
      }
      board.switchContexts(
        to: shown, users: session.users, in: session.environment, with: databases, into: changes)
    }
  }
}

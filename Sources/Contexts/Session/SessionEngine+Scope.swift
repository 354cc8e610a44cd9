import AppGroups
import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization

/// The three steps of a switch of environments, on the thread that switches:
///
/// ```
///   restoreNext   reads the archive of the new environment; the session that is shown goes on
///   switchSession replaces the session; events of the old environment change nothing from now on
///   begin         in the executor, after subscribers have received the change: asks the delegate, as at a start
/// ```
extension SessionEngine {
  /// The archive of an environment that is about to be shown.
  struct NextSession: Sendable {
    let environment: Int
    /// The restored session, or `nil` if the application has not called `setup` yet.
    let restoration: Restoration<User>?
    let isWritten: Bool
    let users: [ArchivedUser<User>]
  }

  /// Reads the archive of the new environment.
  func restoreNext(_ environment: Int) -> NextSession {
    guard state.withLock({ $0.isSetUp }) else {
      return NextSession(environment: environment, restoration: nil, isWritten: false, users: [])
    }
    let vault = vault.bound(to: environment)
    let (restoration, isWritten) = vault.restore()
    var users: [ArchivedUser<User>] = []
    // The restoration has failed for the same reason, and its status reports it.
    tolerating { users = try vault.users() }
    return NextSession(environment: environment, restoration: restoration, isWritten: isWritten, users: users)
  }

  /// Replaces the session with the one of another environment.
  ///
  /// - Returns: The session to show, and an action to run after it was shown. The action answers the calls that wait
  ///   for the old session.
  func switchSession(to next: NextSession) -> (shown: ShownSession<User>, finish: @Sendable () -> Void) {
    var machine = SessionMachine<User>(policy: policy)
    let clock = ServerClock(time: time)
    if let restoration = next.restoration {
      // The effects are performed later, by `begin`.
      _ = machine.handle(.restored(restoration, 0), now: clock.now, chance: 0)
    }
    let (shown, ends, old) = state.withLock { state in
      machine.epoch += state.machine.epoch + 1
      machine.flight = state.machine.flight
      let old = exchange(&state.machine, with: machine)
      state.clock = clock
      state.environment = next.environment
      state.context += 1
      state.shown = (machine.stored?.session, machine.stored?.user.id)
      return (state.nextShown(), exchange(&state.ends, with: []), old)
    }
    alarm.withLock { $0 }?.unset()
    return (
      shown,
      { [self] in
        withExtendedLifetime(old) {}
        for end in ends { end.end() }
        endOutdatedCalls()
        begin(next)
      }
    )
  }

  /// Continues as after the first read of an archive.
  private func begin(_ next: NextSession) {
    run { engine in
      if next.isWritten, case .user(let session) = next.restoration { engine.announce(session.revision) }
      let machine = engine.state.withLock { $0.environment == next.environment ? $0.machine : nil }
      engine.hooks.show(machine?.stored)
      guard let machine, machine.state == .presession, let user = machine.stored?.user else { return }
      engine.perform(.decide(user, isStartup: true, epoch: machine.epoch), next.environment)
    }
  }
}

/// A session reads its archive again after a suspension, and tries failed writes and renewals again.
extension SessionEngine: Suspendable {
  var suspensionStage: SuspensionStage { .readers }

  func resumeAfterSuspension() {
    look()
    submit(.wake(isResuming: true))
  }
}

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

/// The environments of a scope as sessions use them.
///
/// One of them is active.
///
/// Each switch begins an environment with a new number, even a switch back. Every use of an archive names the number
/// for which it was meant, so that a late call or answer never reaches another environment.
final class SessionEnvironments: Sendable {
  let scope: Scope

  /// The directory of the sessions in the active environment.
  let directory: URL

  private let count = Atomic(0)

  init(_ scope: Scope, directory: URL) {
    self.scope = scope
    self.directory = directory
  }

  /// The number of the active environment.
  var number: Int { count.load(ordering: .acquiring) }

  /// Begins the next environment, on the thread that switches.
  ///
  /// - Returns: Its number.
  func advance() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Runs a closure while no process switches environments, and while the directory is in place.
  ///
  /// - Throws: ``ContextError/environmentSwitched`` if another environment is active; then the closure was not run.
  func steadily<Result>(in number: Int, _ body: () throws -> Result) throws -> Result {
    try scope.steadily {
      guard number == self.number else { throw ContextError.environmentSwitched }
      _ = try AppGroupsContainer(directory: directory)
      return try body()
    }
  }
}

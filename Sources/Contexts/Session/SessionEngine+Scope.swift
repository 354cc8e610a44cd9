import FileSignals
import Signals

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

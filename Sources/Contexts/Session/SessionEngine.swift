import FileSignals
import Foundation
import Signals

/// An engine that runs a ``SessionMachine``: it passes it one event after another and performs the effects.
final class SessionEngine<User: SessionUser>: Sendable {
  typealias Executor = @Sendable (@escaping @Sendable () -> Void) -> Void
  typealias Reply = @Sendable (Result<User?, ContextError>) -> Void

  private let executor: Executor
  private let server: any SessionServer<User>
  let time: SessionTime
  let policy: SessionPolicy
  private let chance: @Sendable () -> Double
  // Closures and not signals, because each has one receiver, which must have it before the next event is handled.
  private let show: @Sendable (ShownSession<User>) -> Void
  private let wrote: @Sendable (_ revision: Int) -> Void
  private let failed: @Sendable (ContextError) -> Void
  let alarm = Guarded<(any WallAlarm)?>(nil)

  let vault: SessionVault<User>
  let hooks = SessionHooks<User>()
  private let events = Outbox<Arrival>()
  let state: Guarded<State>
  let calls = Guarded(Calls())
  private let keeper = Guarded(Keeper())

  /// The state of the engine.
  ///
  /// It changes in `executor`, which is serial, and during a switch of environments.
  struct State {
    var machine: SessionMachine<User>
    var clock: ServerClock
    /// The number of the active environment.
    ///
    /// Answers to requests of other environments are dropped.
    var environment = 0
    /// The thread whose turn it is in `executor`.
    var turn: ThreadIdentity?
    /// The work that was added during the turn, for its end.
    var due: [@Sendable (SessionEngine<User>) -> Void] = []
    /// The last revision of the archive that was written here and announced, and its environment.
    var announced: (environment: Int, revision: Int) = (0, -1)
    /// A Boolean value that indicates whether `setup` was called, so that a switch reads the new environment's archive.
    var isSetUp = false
    /// The number of the context that is shown, which is different for each session.
    var context = 0
    var shown: (session: Int?, userID: String?) = (nil, nil)
    /// The number of statuses shown so far, by which a late one is recognized and dropped.
    var showings = 0
    /// The actions that end renewals, with the identities of their users.
    ///
    /// They wait until the user's last renewal is archived.
    var ends: [(userID: String, end: @Sendable () -> Void)] = []
  }

  struct Calls {
    var replies: [Int: (environment: Int, reply: Reply)] = [:]
    var last = 0
  }

  /// The owner of the engine and of all that follows the root for it.
  private struct Keeper {
    weak var owner: (any AnyObject & Sendable)?
    /// A Boolean value that indicates whether there has been an owner.
    var hasOwner = false
    /// The owner, while an answer of the server is in memory only.
    var kept: (any AnyObject & Sendable)?
  }

  /// An event, and the number of the environment that it belongs to.
  private struct Arrival: Sendable {
    let event: SessionEvent<User>
    let environment: Int
  }

  /// The number of the active environment.
  var environment: Int { state.withLock { $0.environment } }

  var machine: SessionMachine<User> { state.withLock { $0.machine } }

  /// Creates an idle engine.
  ///
  /// - Parameters:
  ///   - vault: The archive of sessions.
  ///   - server: The server.
  ///   - time: The time by which sessions expire.
  ///   - policy: The policy for renewing sessions.
  ///   - chance: A closure that returns a random number from 0 to 1.
  ///   - executor: A closure that runs closures one after another, where they may block.
  ///   - show: A closure that receives each new status.
  ///   - wrote: A closure that receives each revision of the archive that was written here.
  ///   - failed: A closure that receives each error that no call has received.
  init(
    vault: SessionVault<User>,
    server: any SessionServer<User>,
    time: SessionTime,
    policy: SessionPolicy,
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    executor: @escaping Executor,
    show: @escaping @Sendable (ShownSession<User>) -> Void,
    wrote: @escaping @Sendable (_ revision: Int) -> Void = { _ in },
    failed: @escaping @Sendable (ContextError) -> Void = { _ in }
  ) {
    self.vault = vault
    self.server = server
    self.time = time
    self.policy = policy
    self.chance = chance
    self.executor = executor
    self.show = show
    self.wrote = wrote
    self.failed = failed
    state = Guarded(State(machine: SessionMachine(policy: policy), clock: ServerClock(time: time)))
    let alarm = time.wall.alarm { [weak self] in self?.submit(.wake(isResuming: false)) }
    self.alarm.withLock { $0 = alarm }
  }

  deinit {
    alarm.withLock { $0 }?.stop()
    vault.archive.close()
    for call in calls.withLock({ $0.replies }).values { call.reply(.failure(.sessionEnded)) }
  }

  /// Names the owner, which an answer of the server that is awaited or not archived yet keeps alive.
  ///
  /// The owner must keep alive this engine, and the members by which it follows switches of environments.
  func keepAlive(by owner: any AnyObject & Sendable) {
    keeper.withLock { ($0.owner, $0.hasOwner) = (owner, true) }
  }

  // MARK: Events

  /// Handles an event after all earlier events.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - environment: The environment of the event; by default the active one.
  ///   - end: An action that lets other processes renew the session of a user. It is called when there is nothing left
  ///     to write for the user. As long as a new token is in memory only, no other process may use the old one.
  func submit(
    _ event: SessionEvent<User>, in environment: Int? = nil, end: (userID: String, end: @Sendable () -> Void)? = nil
  ) {
    let environment = environment ?? self.environment
    takeTurn { engine in
      if let end { engine.state.withLock { $0.ends.append(end) } }
      engine.take(event, environment)
    }
  }

  private func takeTurn(_ body: @escaping @Sendable (SessionEngine<User>) -> Void) {
    // The thread of the turn knows no values of the task that asks.
    let cause = Cause.current
    executor { [self] in
      let outer = state.withLock { exchange(&$0.turn, with: .current) }
      Cause.withValue(cause) { body(self) }
      let due = state.withLock { state in
        state.turn = outer
        return outer == nil ? exchange(&state.due, with: []) : []
      }
      for one in due { one(self) }
    }
  }

  /// Submits a request in an environment, by default the active one, and replies to it exactly once.
  func ask(
    in environment: Int? = nil, _ event: (SessionEvent<User>.Call) -> SessionEvent<User>, _ reply: @escaping Reply
  ) {
    let environment = environment ?? self.environment
    let call = calls.withLock { calls in
      calls.last += 1
      calls.replies[calls.last] = (environment, reply)
      return calls.last
    }
    submit(event(call), in: environment)
  }

  /// Answers all calls of environments that are no longer active.
  func endOutdatedCalls() {
    let environment = environment
    let outdated = calls.withLock { calls in
      let outdated = calls.replies.filter { $0.value.environment < environment }
      for call in outdated.keys { calls.replies[call] = nil }
      return outdated.values.map(\.reply)
    }
    for reply in outdated { reply(.failure(.environmentSwitched)) }
  }

  /// Runs a closure between two events, when it may use the archive.
  ///
  /// - Parameters:
  ///   - isSoon: A Boolean value that indicates whether a call in the middle of an event may run the closure directly
  ///     after it, without a turn of its own.
  ///   - body: The closure.
  func run(soon isSoon: Bool = false, _ body: @escaping @Sendable (SessionEngine<User>) -> Void) {
    let isAdded =
      isSoon
      && state.withLock { state in
        guard state.turn == .current else { return false }
        state.due.append(body)
        return true
      }
    if !isAdded { takeTurn(body) }
  }

  /// Reads the archive for the first time.
  func restore(migrate: UserCoding<User>.Migrate?, _ reply: @escaping Reply) {
    run { engine in
      let (environment, isRestoring) = engine.state.withLock { state in
        state.isSetUp = true
        return (state.environment, state.machine.state == .restoring)
      }
      // A later call finds the archive already read.
      guard isRestoring else {
        return engine.ask(in: environment, { .restored(.noUser(revision: 0), $0) }, reply)
      }
      engine.vault.coding.migrate.value = migrate
      let (restoration, isWritten) = engine.vault.bound(to: environment).restore()
      if isWritten, case .user(let session) = restoration { engine.announce(session.revision) }
      engine.ask(in: environment, { .restored(restoration, $0) }, reply)
      if case .failed = restoration { return }
      // An announcement of a later write may have come too early to be observed.
      engine.look()
    }
  }

  /// Reads the archive again, in case another process has changed it.
  ///
  /// - Parameter revision: The announced revision. The archive is not read if this revision is already known.
  func look(for revision: Int? = nil) {
    // The usual case: the announcement of this process itself.
    if let revision, state.withLock({ $0.announced == ($0.environment, revision) }) { return }
    run { engine in
      let (environment, machine) = engine.state.withLock { ($0.environment, $0.machine) }
      guard machine.state != .restoring, revision != machine.revision else { return }
      engine.submit(.found(engine.vault.bound(to: environment).look()), in: environment)
    }
  }

  /// Announces a revision of the archive that was written here.
  func announce(_ revision: Int) {
    state.withLock { $0.announced = ($0.environment, revision) }
    wrote(revision)
  }

  /// Removes users.
  ///
  /// It must be called between two events.
  ///
  /// - Parameters:
  ///   - environment: The number of the environment that was active when the removal was requested.
  ///   - choose: A closure that chooses the users from the archived identities. The second argument contains the
  ///     current user and the one still shown, which must stay.
  ///   - purge: A closure that removes all other data of a user.
  /// - Returns: The removed identities.
  /// - Throws: The error that `choose` or `purge` threw, or the error of the archive.
  func removeUsers(
    in environment: Int,
    choose: (_ archived: [String], _ present: Set<String>) throws -> [String], purge: (String) throws -> Void
  ) throws(ContextError) -> [String] {
    // Another environment may have users with the same identities.
    guard let machine = state.withLock({ $0.environment == environment ? $0.machine : nil }) else {
      throw .environmentSwitched
    }
    if machine.state == .restoring { throw .notSetUp }
    let vault = vault.bound(to: environment)
    let shown = machine.stored?.user.id
    let (chosen, revision) = try vault.removeUsers(
      after: machine.revision, choose: { try choose($0, Set([$1, shown].compactMap(\.self))) }, purge: purge)
    if let revision {
      submit(.found(vault.look()), in: environment)
      announce(revision)
    }
    return chosen
  }

  private func take(_ event: SessionEvent<User>, _ environment: Int) {
    events.add(Arrival(event: event, environment: environment))
    guard events.deliver({ handle($0.event, $0.environment) }) else { return }
    let (unwritten, ends) = state.withLock { state in
      let unwritten = state.machine.usersWithUnwrittenAnswers
      let ends = state.ends.filter { !unwritten.contains($0.userID) }
      state.ends.removeAll { !unwritten.contains($0.userID) }
      return (unwritten, ends)
    }
    for end in ends { end.end() }
    // Nothing else writes the answers if the application releases its context.
    keeper.replace { exchange(&$0.kept, with: unwritten.isEmpty ? nil : $0.owner) }
  }

  private func handle(_ event: SessionEvent<User>, _ environment: Int) {
    let now = state.withLock { $0.environment == environment ? ($0.machine, $0.clock) : nil }
    guard var (machine, clock) = now else { return endOutdatedCalls() }
    // This runs without the lock, because the application implements the user type.
    if let issued = event.arrivedUser?.issued { clock.set(to: issued) }
    let effects = machine.handle(event, now: clock.now, chance: chance())
    let old = state.withLock { state -> SessionMachine<User>? in
      guard state.environment == environment else { return nil }
      state.clock = clock
      return exchange(&state.machine, with: machine)
    }
    // The environment may have been switched during the call. Then the decision no longer matters.
    guard let old else { return endOutdatedCalls() }
    for effect in effects { perform(effect, environment) }
    if let error = machine.lastError, error != old.lastError, error.isReported(after: effects) { failed(error) }
  }

  // MARK: Effects

  func perform(_ effect: SessionEffect<User>, _ environment: Int) {
    switch effect {
    case .publish: publish(environment)
    case .wake(let date):
      let (alarm, now) = (alarm.withLock { $0 }, state.withLock { $0.clock }.now)
      if let date { alarm?.set(after: .seconds(max(0, min(date.timeIntervalSince(now), 3e9)))) } else { alarm?.unset() }
    case .answer(let call, let result): calls.withLock { $0.replies.removeValue(forKey: call) }?.reply(result)
    case .write(let write):
      if write.isRequestedLogin { hooks.loginBegins() }
      let (revision, unwritten) = state.withLock { ($0.machine.revision, $0.machine.unwrittenAnswers) }
      let event = vault.bound(to: environment).perform(write, after: revision, unwritten: unwritten)
      if let written = event.archivedRevision, written > revision { announce(written) }
      handle(event, environment)
    case .decide(let user, let isStartup, let epoch):
      let refreshes = server.shouldRefresh(user, isStartup: isStartup) ?? true
      handle(.decided(refresh: refreshes, epoch: epoch), environment)
    case .authenticate(let epoch):
      hooks.loginBegins()
      server.authenticate { [weak self] in self?.submit(.loginAnswered($0, epoch: epoch), in: environment) }
    case .refresh(let session, let epoch, let flight):
      // The answer is archived even if the application releases its context meanwhile: it has the only copy of a token.
      // Nothing could archive the answer if the context has been released already, so the server is not asked.
      let (owner, hadOwner) = keeper.withLock { ($0.owner, $0.hasOwner) }
      if hadOwner, owner == nil { return }
      hooks.renewalBegins(of: session.user)
      server.refresh(session) { [weak self, owner] answer, end in
        guard let self else { return end() }
        let event = SessionEvent.refreshAnswered(answer, epoch: epoch, flight: flight)
        submit(event, in: environment, end: (session.user.id, { withExtendedLifetime(owner) { end() } }))
      }
    case .deauthenticate(let user, let epoch):
      server.deauthenticate(user) { [weak self] in
        self?.submit(.logoutAnswered($0, epoch: epoch), in: environment)
      }
    case .deauthenticateKept(let user, let call):
      server.deauthenticate(user) { [weak self] in self?.submit(.keptLogoutAnswered($0, call), in: environment) }
    }
  }

  private func publish(_ environment: Int) {
    let next = state.withLock { state in
      state.environment == environment ? (shown: state.nextShown(), session: state.machine.stored) : nil
    }
    guard let next else { return }
    show(next.shown)
    hooks.show(next.session)
  }
}

extension SessionEngine.State {
  /// Returns the session to show now.
  mutating func nextShown() -> ShownSession<User> {
    let new = (session: machine.stored?.session, userID: machine.stored?.user.id)
    if new != shown {
      shown = new
      context += 1
    }
    showings += 1
    let status = SessionStatus(
      authState: machine.state, activity: machine.activity, lastError: machine.lastError,
      user: machine.stored?.user, epoch: machine.epoch)
    return ShownSession(status: status, session: machine.stored, context: context, number: showings)
  }
}

extension ContextError {
  /// Returns whether the error is a failure that no call has received.
  fileprivate func isReported<User>(after effects: [SessionEffect<User>]) -> Bool {
    switch self {
    // These are events, not failures. A delegate is often set after the session was restored.
    case .endedElsewhere, .sessionEnded, .environmentSwitched, .suspended, .noDelegate: return false
    default: break
    }
    return !effects.contains { effect in
      if case .answer(_, .failure(self)) = effect { true } else { false }
    }
  }
}

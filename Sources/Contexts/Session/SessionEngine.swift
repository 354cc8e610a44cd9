import Foundation
import Signals

/// Does what a ``SessionMachine`` says, one event after the other.
final class SessionEngine<User: SessionUser>: Sendable {
  typealias Executor = @Sendable (@escaping @Sendable () -> Void) -> Void
  typealias Reply = @Sendable (Result<User?, ContextError>) -> Void

  private let executor: Executor
  private let server: any SessionServer<User>
  private let time: SessionTime
  private let chance: @Sendable () -> Double
  private let show: @Sendable (SessionStatus<User>, _ context: Int) -> Void
  private let wrote: @Sendable (_ revision: Int) -> Void
  private let alarm = Guarded<(any SessionAlarm)?>(nil)

  let vault: SessionVault<User>
  private let events = Outbox<SessionEvent<User>>()
  private let state: Guarded<State>
  private let calls = Guarded(Calls())

  /// It changes in `executor` only, which is serial.
  private struct State {
    var machine: SessionMachine<User>
    var clock: ServerClock
    /// The number of the context that is shown: another one for each session.
    var context = 0
    var shown: (session: Int?, userID: String?) = (nil, nil)
    /// Ends of renewals, which wait until the last one is written.
    var ends: [@Sendable () -> Void] = []
  }

  private struct Calls {
    var replies: [Int: Reply] = [:]
    var last = 0
  }

  var machine: SessionMachine<User> { state.withLock { $0.machine } }

  /// Makes an engine at rest.
  ///
  /// - Parameters:
  ///   - vault: Where sessions are archived.
  ///   - server: Who is asked.
  ///   - time: The time by which sessions expire.
  ///   - policy: When sessions are renewed.
  ///   - chance: Makes a number from 0 to 1 at random.
  ///   - executor: Runs closures one after the other, where they may block.
  ///   - show: Is given each new status, and a number that changes with each session.
  ///   - wrote: Is told of each revision of the archive that was written here.
  init(
    vault: SessionVault<User>,
    server: any SessionServer<User>,
    time: SessionTime,
    policy: SessionPolicy,
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    executor: @escaping Executor,
    show: @escaping @Sendable (SessionStatus<User>, _ context: Int) -> Void,
    wrote: @escaping @Sendable (_ revision: Int) -> Void = { _ in }
  ) {
    self.vault = vault
    self.server = server
    self.time = time
    self.chance = chance
    self.executor = executor
    self.show = show
    self.wrote = wrote
    state = Guarded(State(machine: SessionMachine(policy: policy), clock: ServerClock(time)))
    let alarm = time.makeAlarm { [weak self] in self?.submit(.wake(isResuming: false)) }
    self.alarm.withLock { $0 = alarm }
  }

  deinit {
    alarm.withLock { $0 }?.stop()
    vault.archive.close()
    for reply in calls.withLock({ $0.replies }).values { reply(.failure(.sessionEnded)) }
  }

  // MARK: Events

  /// Takes an event, after all that came before.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - end: Lets other processes renew the session. It is called when there is nothing left to write: as long as a new
  ///     token is in memory only, no other process may use the old one.
  func submit(_ event: SessionEvent<User>, end: (@Sendable () -> Void)? = nil) {
    executor { [self] in
      if let end { state.withLock { $0.ends.append(end) } }
      take(event)
    }
  }

  /// Asks for something, and is answered once.
  func ask(_ event: (SessionEvent<User>.Call) -> SessionEvent<User>, _ reply: @escaping Reply) {
    let call = calls.withLock { calls in
      calls.last += 1
      calls.replies[calls.last] = reply
      return calls.last
    }
    submit(event(call))
  }

  /// Runs something between two events, with the archive.
  func run(_ body: @escaping @Sendable (SessionEngine<User>) -> Void) {
    executor { [self] in body(self) }
  }

  /// Reads the archive for the first time.
  func restore(migrate: UserCoding<User>.Migrate?, _ reply: @escaping Reply) {
    run { engine in
      // Whoever comes later finds it done.
      guard engine.machine.state == .restoring else {
        return engine.ask({ .restored(.nobody(revision: 0), $0) }, reply)
      }
      engine.vault.coding.migrate.value = migrate
      let (restoration, isWritten) = engine.vault.restore()
      if isWritten, case .user(let session) = restoration { engine.wrote(session.revision) }
      engine.ask({ .restored(restoration, $0) }, reply)
      if case .failed = restoration { return }
      // What others have written since then may have been told too early to be followed.
      engine.look()
    }
  }

  /// Looks whether another process has changed the archive.
  ///
  /// - Parameter revision: The one that somebody has told of; nothing is looked at if it is known.
  func look(for revision: Int? = nil) {
    run { engine in
      guard engine.machine.state != .restoring, revision != engine.machine.revision else { return }
      engine.submit(.found(engine.vault.look()))
    }
  }

  /// Removes users; to be called between two events.
  ///
  /// - Parameters:
  ///   - choose: Is given who is archived, and who must not be removed: who is logged in, and who is still shown.
  ///   - purge: Removes what else there is of a user.
  /// - Returns: Who was chosen.
  /// - Throws: What `choose` or `purge` threw, or why the archive cannot be used.
  func removeUsers(
    choose: (_ archived: [String], _ present: Set<String>) throws -> [String], purge: (String) throws -> Void
  ) throws(ContextError) -> [String] {
    let shown = machine.stored?.user.id
    let (chosen, revision) = try vault.removeUsers(
      after: machine.revision, choose: { try choose($0, Set([$1, shown].compactMap(\.self))) }, purge: purge)
    if let revision {
      submit(.found(vault.look()))
      wrote(revision)
    }
    return chosen
  }

  private func take(_ event: SessionEvent<User>) {
    events.add(event)
    guard events.deliver({ handle($0) }), machine.unwritten == nil else { return }
    let ends = state.withLock { state in
      defer { state.ends = [] }
      return state.ends
    }
    for end in ends { end() }
  }

  private func handle(_ event: SessionEvent<User>) {
    var (machine, clock) = state.withLock { ($0.machine, $0.clock) }
    // Without the lock, because users are of the app's own type.
    if let issued = event.arrivedUser?.issued { clock.set(to: issued) }
    let effects = machine.handle(event, now: clock.now, chance: chance())
    state.replace { state in
      state.clock = clock
      return exchange(&state.machine, with: machine)
    }
    for effect in effects { perform(effect) }
  }

  // MARK: Effects

  private func perform(_ effect: SessionEffect<User>) {
    switch effect {
    case .publish: publish()
    case .wake(let date):
      let (alarm, now) = (alarm.withLock { $0 }, state.withLock { $0.clock }.now)
      if let date { alarm?.set(after: date.timeIntervalSince(now)) } else { alarm?.unset() }
    case .answer(let call, let result): calls.withLock { $0.replies.removeValue(forKey: call) }?(result)
    case .write(let write):
      let event = vault.perform(write, after: machine.revision)
      if case .written(let session, _) = event { wrote(session.revision) }
      handle(event)
    case .decide(let user, let isStartup, let epoch):
      let refreshes = server.shouldRefresh(user, isStartup: isStartup) ?? true
      handle(.decided(refresh: refreshes, epoch: epoch))
    case .authenticate(let epoch):
      server.authenticate { [weak self] in self?.submit(.loginAnswered($0, epoch: epoch)) }
    case .refresh(let session, let epoch, let flight):
      server.refresh(session) { [weak self] answer, end in
        guard let self else { return end() }
        submit(.refreshAnswered(answer, epoch: epoch, flight: flight), end: end)
      }
    case .deauthenticate(let user, let epoch):
      server.deauthenticate(user) { [weak self] error in
        self?.run { engine in
          // What others did while the server was waited for has been left alone. It is read before anybody is answered,
          // who may well remove everything then.
          let found = engine.vault.look()
          engine.take(.logoutAnswered(error, epoch: epoch))
          engine.take(.found(found))
        }
      }
    }
  }

  private func publish() {
    let (machine, context) = state.withLock { state in
      let new = (session: state.machine.stored?.session, userID: state.machine.stored?.user.id)
      if new != state.shown {
        state.shown = new
        state.context += 1
      }
      return (state.machine, state.context)
    }
    let status = SessionStatus(
      authState: machine.state, activity: machine.activity, lastError: machine.lastError,
      user: machine.stored?.user, epoch: machine.epoch)
    show(status, context)
  }
}

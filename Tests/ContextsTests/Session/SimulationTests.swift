import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Random sessions compared with a model")
struct SimulationTests {
  @Test
  func `logins, renewals, expiries, logouts, crashes and late answers always match the model`() throws {
    let steps = Scale.count(3000, torture: 100_000)
    let seed = Scale.isTorture || Scale.seed != nil ? Chance.seed : 7
    Scale.progress("simulation of \(steps) steps with seed \(seed)")
    var simulation = Simulation(seed: seed)
    for step in 1...steps {
      let action = simulation.step()
      if let difference = simulation.difference() {
        let trail = simulation.trail.joined(separator: "\n")
        Issue.record("SIGNALS_SEED=\(seed), step \(step), after \(action): \(difference)\n\(trail)")
        return
      }
      if step % 20000 == 0 { Scale.progress("\(step) steps; so often: \(simulation.tally)") }
    }
    // All kinds of actions have occurred.
    #expect(simulation.tally.count >= 17, "\(simulation.tally)")
  }
}

/// A process and its model, which perform the same random actions.
private struct Simulation {
  private var chance: Chance
  private let clock = TestClock()
  private let archive = MemoryArchive()
  private let secrets = MemorySecretStore()
  private var server = ScriptedServer()
  private var process: ScriptedProcess
  private var model = ReferenceSession()
  private var others: SessionVault<Account>
  /// The servers of crashed processes, which may still answer.
  private var dead: [ScriptedServer] = []
  private var tokens = 0
  private(set) var tally: [String: Int] = [:]
  private(set) var trail: [String] = []

  init(seed: UInt64) {
    chance = Chance(seed: seed)
    process = ScriptedProcess(archive: archive, secrets: secrets, clock: clock, server: server)
    others = SessionVault(archive: archive, coding: UserCoding(secrets: secrets), lockURL: nil)
    process.restore()
    model.restore()
  }

  /// Performs a random action and returns its name.
  mutating func step() -> String {
    let action = act()
    tally[action, default: 0] += 1
    trail = trail.suffix(12) + ["\(action): \(model.state) \(model.doing) \(model.shown.map { "\($0)" } ?? "-")"]
    return action
  }

  private mutating func account(_ id: String? = nil) -> Account {
    tokens += 1
    let life: TimeInterval? = [nil, -5, 10, 60, 600, 3600][chance.number(below: 6)]
    let names = ["ada", "Ada", "grace"]
    return Account(
      id: id ?? names[chance.number(below: 3)], name: "n\(tokens)", token: "t\(tokens)",
      expiration: life.map { model.now + $0 })
  }

  private mutating func act() -> String {
    switch chance.number(below: 24) {
    case 0, 1:
      process.ask(SessionEvent.login)
      model.login()
      return "login"
    case 2:
      let (account, replacing) = (account(), chance.once(in: 2))
      process.ask { .start(account, $0, replacing: replacing) }
      model.start(account, replacing: replacing)
      return "start"
    case 3, 4:
      let force = chance.once(in: 3)
      process.ask { .refresh($0, isForced: force) }
      model.refresh(force: force)
      return "refresh"
    case 5:
      process.ask(SessionEvent.valid)
      model.valid()
      return "valid"
    case 6:
      tokens += 1
      let name = "u\(tokens)"
      process.ask { .update({ $0.name = name }, $0) }
      model.update(name: name)
      return "update"
    case 7:
      process.ask(SessionEvent.logout)
      model.logout()
      return "logout"
    case 8, 9, 10, 11, 12, 13: return answer(newest: true)
    case 14: return answer(newest: false)
    case 15, 16, 17:
      let seconds = Double([1, 3, 17, 70, 900][chance.number(below: 5)])
      clock.advance(by: .seconds(seconds))
      model.advance(to: model.now + seconds)
      return "time"
    case 18:
      if !chance.once(in: 3) { return "nothing" }
      dead = dead.suffix(3) + [server]
      server = ScriptedServer()
      server.trusts = model.trusts
      process = ScriptedProcess(archive: archive, secrets: secrets, clock: clock, server: server)
      process.restore()
      model.requests = 0
      model.restore()
      return "crash"
    case 19:
      model.isFull = chance.once(in: 3)
      archive.fails = model.isFull
      return "disk"
    case 20:
      model.trusts = [true, false, nil][chance.number(below: 3)]
      server.trusts = model.trusts
      return "trust"
    case 21:
      process.engine.submit(.wake(isResuming: true))
      model.wake(resuming: true)
      return "resume"
    case 22: return elsewhere()
    default:
      process.engine.look()
      model.look()
      return "look"
    }
  }

  /// Lets the server answer: usually the last request, otherwise an older one or one of a crashed process.
  private mutating func answer(newest: Bool) -> String {
    if !newest, let old = dead.last, !old.requests.isEmpty, chance.once(in: 2) {
      reply(old, chance.number(below: old.requests.count), account(), chance.number(below: 4), nil)
      return "late answer to the dead"
    }
    let count = server.requests.count
    guard count > 0 else { return "nothing" }
    let index = newest ? count - 1 : chance.number(below: count)
    let sameID = model.shown?.account.id
    reply(server, index, account(chance.once(in: 8) ? nil : sameID), chance.number(below: 8), index)
    return newest ? "answer" : "late answer"
  }

  private mutating func reply(
    _ server: ScriptedServer, _ index: Int, _ account: Account, _ dice: Int, _ judged: Int?
  ) {
    switch server.requests[index] {
    case .login(let answer):
      answer(
        dice == 0 ? .failure(.authenticationFailed(ServerFailure(kind: "Refusal", text: "no"))) : .success(account))
      if let judged { model.answerLogin(judged, dice == 0 ? nil : account) }
    case .logout(let answer):
      answer(dice < 3 ? .deauthenticationFailed(ServerFailure(kind: "Refusal", text: "no")) : nil)
      if let judged { model.answerLogout(judged) }
    case .refresh(let session, let answer):
      let attempt = RenewalAttempt(session: session)
      var account = account
      // A server without names returns the name it received.
      if chance.once(in: 2) { account.name = session.user.name }
      switch dice {
      case 0:
        answer(.rejected(ServerFailure(AuthRejection(reason: "invalid_grant")), attempt)) {}
        if let judged { model.answerRefresh(judged, .rejection) }
      case 1, 2:
        answer(.failed(.refreshFailed(ServerFailure(kind: "Network", text: "none")))) {}
        if let judged { model.answerRefresh(judged, .failure) }
      default:
        answer(.renewed(Renewal(user: account, attempt: attempt))) {}
        if let judged { model.answerRefresh(judged, .account(account)) }
      }
    }
  }

  /// Performs an action in another process, of which this one is notified later or never.
  private mutating func elsewhere() -> String {
    if model.isFull { return "nothing" }
    if chance.once(in: 2) {
      let account = account()
      _ = others.perform(.login(account, nil), after: 0)
      model.loginElsewhere(account)
      return "login elsewhere"
    }
    guard case .user(let session) = others.look() else { return "nothing" }
    if chance.once(in: 2) {
      _ = others.perform(.logout(session), after: 0)
      model.logoutElsewhere()
      return "logout elsewhere"
    }
    let account = account(session.user.id)
    let renewal = Renewal(user: account, attempt: RenewalAttempt(session: session))
    _ = others.perform(.renewal(renewal), after: 0)
    model.renewElsewhere(account)
    return "renewal elsewhere"
  }

  /// The first difference between the process and the model, or `nil`.
  func difference() -> String? {
    let machine = process.engine.machine
    guard let status = process.status else { return "nothing was shown" }
    if machine.state != model.state { return "the state is \(machine.state), not \(model.state)" }
    if machine.activity != model.activity { return "the activity is \(machine.activity), not \(model.activity)" }
    if machine.stored?.user != model.shown?.account {
      return "the user is \(String(describing: machine.stored?.user)), not \(String(describing: model.shown))"
    }
    let isShown = (status.authState, status.activity) == (machine.state, machine.activity)
    if !isShown || status.user != machine.stored?.user {
      return "what is shown is \(status)"
    }
    if server.requests.count != model.requests {
      return "\(server.requests.count) requests, not \(model.requests)"
    }
    let archived: Account? = if case .user(let session) = others.look() { session.user } else { nil }
    if archived != model.disk?.account {
      return "archived is \(String(describing: archived)), not \(String(describing: model.disk))"
    }
    if (machine.stored == nil) != (machine.state == .unauthenticated) { return "a user in the state \(machine.state)" }
    let isOver = machine.stored?.user.isExpired(at: model.now) ?? false
    if machine.state == .authenticated, isOver {
      return "a session that is over is authenticated"
    }
    if process.callCount(answered: 2) > 0 { return "a call was answered twice" }
    let calls = [machine.loginCalls, machine.refreshCalls, machine.forcedCalls, machine.logoutCalls]
    let waiting = calls.map(\.count).reduce(0, +)
    if process.callCount(answered: 0) != waiting { return "\(process.callCount(answered: 0)) wait, \(waiting) should" }
    if machine.activity == .idle, waiting > 0 { return "\(waiting) wait for nothing" }
    if machine.state == .presession, machine.activity == .idle, machine.retryDate == nil,
      machine.refreshDate == nil
    {
      return "nothing will ever be tried again"
    }
    return nil
  }
}

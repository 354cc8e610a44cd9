import Foundation
import Signals
import TestSupport

@testable import Contexts

/// A process without threads: its engine does all work inside the requesting call.
final class ScriptedProcess: @unchecked Sendable {  // Sound: guarded by the lock.
  let engine: SessionEngine<Account>
  let server: ScriptedServer
  private let lock = Lock()
  private var statuses: [SessionStatus<Account>] = []
  private var results: [Int: [Result<Account?, ContextError>]] = [:]
  private var lastCall = 0
  private var turnCount = 0
  private var loadCount = 0

  init(
    archive: MemoryArchive, secrets: any SecretStore, clock: TestClock, server: ScriptedServer = ScriptedServer(),
    policy: SessionPolicy = SessionPolicy(), chance: Double = 0.5
  ) {
    self.server = server
    let box = Box()
    var vault = SessionVault<Account>(archive: archive, coding: UserCoding(secrets: secrets), lockURL: nil)
    vault.keepsSessions = policy.keepsSessions
    engine = SessionEngine(
      vault: vault,
      server: server, time: SessionTime(clock: clock, startingAt: .beginning + clock.now.offset.seconds),
      policy: policy, chance: { chance },
      executor: { body in
        box.process?.countTurn()
        body()
      },
      show: { box.process?.show($0.status) },
      wrote: { revision in
        box.process?.engine.look(for: revision)
        box.process?.engine.run(soon: true) { _ in box.process?.countLoad() }
      })
    box.process = self
  }

  /// The number of times that the engine's queue has run.
  var turns: Int { lock.withLock { turnCount } }

  /// The number of times that the list of users would have been read.
  var loads: Int { lock.withLock { loadCount } }

  private func countLoad() { lock.withLock { loadCount += 1 } }

  private func countTurn() { lock.withLock { turnCount += 1 } }

  /// The states that were shown, without repetitions.
  var states: [AuthState] {
    lock.withLock { statuses.map(\.authState) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  var status: SessionStatus<Account>? { lock.withLock { statuses.last } }

  /// Sends a request and returns its number, which ``answers(to:)`` accepts.
  @discardableResult
  func ask(_ event: @escaping (Int) -> SessionEvent<Account>) -> Int {
    let call = begin()
    engine.ask(event) { [weak self] in self?.end(call, $0) }
    return call
  }

  func restore(migrate: UserCoding<Account>.Migrate? = nil) {
    let call = begin()
    engine.restore(migrate: migrate) { [weak self] in self?.end(call, $0) }
  }

  func answers(to call: Int) -> [Result<Account?, ContextError>] {
    lock.withLock { results[call] ?? [] }
  }

  /// Returns the number of calls that were answered the given number of times.
  func callCount(answered times: Int) -> Int {
    lock.withLock { results.values.count { $0.count == times } }
  }

  /// Answers a renewal request.
  func answerRefresh(_ index: Int, _ answer: RefreshAnswer<Account>) {
    if case .refresh(_, let reply) = server.requests[index] { reply(answer) {} }
  }

  /// Answers a renewal request with a user.
  func answerRefresh(_ index: Int, user: Account) {
    if case .refresh(let session, let reply) = server.requests[index] {
      reply(.renewed(Renewal(user: user, attempt: RenewalAttempt(session: session)))) {}
    }
  }

  /// Rejects a renewal request.
  func rejectRefresh(_ index: Int, _ failure: ServerFailure) {
    if case .refresh(let session, let reply) = server.requests[index] {
      reply(.rejected(failure, RenewalAttempt(session: session))) {}
    }
  }

  func answerLogin(_ index: Int, _ result: Result<Account, ContextError>) {
    if case .login(let reply) = server.requests[index] { reply(result) }
  }

  func answerLogout(_ index: Int, _ error: ContextError? = nil) {
    if case .logout(let reply) = server.requests[index] { reply(error) }
  }

  private func begin() -> Int {
    lock.withLock {
      lastCall += 1
      results[lastCall] = []
      return lastCall
    }
  }

  private func end(_ call: Int, _ result: Result<Account?, ContextError>) {
    lock.withLock { results[call, default: []].append(result) }
  }

  private func show(_ status: SessionStatus<Account>) {
    lock.withLock { statuses.append(status) }
  }

  private final class Box: @unchecked Sendable {  // Sound: set once, before the engine is used.
    weak var process: ScriptedProcess?
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

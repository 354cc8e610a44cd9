import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Random changes of known users", .seeded)
struct RandomKnownUsersTests {
  @Test
  func `whatever happens during renewals, each kept session has the newest token, and none is used twice`() throws {
    var world = World()
    for step in 1...Scale.count(3_000, torture: 100_000) {
      let action = world.step()
      if let fault = try world.fault() {
        Issue.record("SIGNALS_SEED=\(Chance.seed), step \(step), after \(action): \(fault)\n\(world.trail)")
        return
      }
    }
    #expect(world.tally.count >= 8, "\(world.tally)")
  }
}

/// A process, and a server that gives each token once and accepts it once.
private struct World {
  private static let names = ["ada", "grace", "linus"]

  private var chance = Chance()
  private let archive = MemoryArchive()
  private let secrets = FlakySecretStore()
  private let clock = TestClock()
  private let process: ScriptedProcess
  private var vault: SessionVault<Account>

  /// The newest token of each user's session.
  private var newest: [String: String] = [:]
  private var tokens = 0

  /// The number of requests that have been read, and the answer to the one that holds the lock of renewals.
  private var begun = 0
  private var answer: RefreshAnswer<Account>?
  private var theft: String?

  private(set) var tally: [String: Int] = [:]
  private(set) var trail: [String] = []

  init() {
    process = ScriptedProcess(
      archive: archive, secrets: secrets, clock: clock, policy: SessionPolicy(keepsSessions: true))
    vault = SessionVault(archive: archive, coding: UserCoding(secrets: secrets), lockURL: nil)
    process.restore()
  }

  mutating func step() -> String {
    let action = act()
    tally[String(action.split(separator: " ")[0]), default: 0] += 1
    trail = trail.suffix(20) + [action]
    return action
  }

  private mutating func account(_ id: String) -> Account {
    tokens += 1
    newest[id] = "t\(tokens)"
    return Account(id: id, name: "n\(tokens)", token: "t\(tokens)")
  }

  private mutating func act() -> String {
    let id = Self.names[chance.number(below: 3)]
    switch chance.number(below: 16) {
    case 0:
      let old = newest[id]
      let account = account(id)
      let call = process.ask { .start(account, $0, replacing: true) }
      if case .failure = process.answers(to: call).first { newest[id] = old }
      return "start \(account)"
    case 14:
      secrets.fails = chance.once(in: 2)
      return secrets.fails ? "lock the secrets" : "unlock the secrets"
    case 15:
      clock.advance(by: .seconds(1))
      return "time"
    case 1, 2, 3:
      process.ask { .reopen(userID: id, $0) }
      return "reopen \(id)"
    case 4:
      process.ask(SessionEvent.setAside)
      return "leave"
    case 5:
      guard let id = process.engine.machine.stored?.user.id, chance.once(in: 4) else { return "nothing" }
      process.ask(SessionEvent.logout)
      newest[id] = nil
      return "logout \(id)"
    case 6, 7:
      process.ask { .refresh($0, isForced: false) }
      return "refresh"
    case 8:
      tokens += 1
      let name = "u\(tokens)"
      process.ask { .update({ $0.name = name }, $0) }
      return "update"
    case 9, 10, 11: return beginRenewal()
    default:
      guard let answer else { return "nothing" }
      self.answer = nil
      process.answerRefresh(begun - 1, answer)
      return "answer"
    }
  }

  /// Lets the next request have the lock, and asks the server as ``DelegateServer`` does.
  private mutating func beginRenewal() -> String {
    let requests = process.server.requests
    guard answer == nil, begun < requests.count else { return "nothing" }
    begun += 1
    // The answer to a logout does not matter.
    guard case .refresh(let session, _) = requests[begun - 1] else { return "nothing" }
    if process.engine.machine.usersWithUnwrittenAnswers.contains(session.user.id) {
      // The lock of the user is held until the answer is stored.
      answer = .failed(.refreshBlocked(processID: 1))
      return "blocked"
    }
    let current = vault.look()
    guard case .user(let found) = current, found.session == session.session, found.user.id == session.user.id else {
      answer = .elsewhere(current)
      return "elsewhere"
    }
    if found.generation != session.generation {
      answer = .adopted(found)
      return "adopted"
    }
    let valid = newest[found.user.id]
    if valid != nil, valid != found.user.token { theft = "\(found.user.token) was used before" }
    let attempt = RenewalAttempt(session: found)
    if valid == nil || chance.once(in: 6) {
      newest[found.user.id] = nil
      answer = .rejected(ServerFailure(AuthRejection(reason: "over")), attempt)
      return "reject \(found.user.id)"
    }
    if chance.once(in: 6) {
      answer = .failed(.refreshFailed(ServerFailure(AuthRejection(reason: "no network"))))
      return "fail"
    }
    var user = account(found.user.id)
    user.name = found.user.name
    answer = .renewed(Renewal(user: user, attempt: attempt))
    return "renew \(user)"
  }

  /// The first kept session with a token that is not the newest one.
  func fault() throws -> String? {
    if let theft { return theft }
    let contents = archive.archived
    if process.engine.machine.stored?.user.id != contents.currentID { return "the archive has another user" }
    let keys = try secrets.keys()
    if keys.count != contents.secretKeys.count { return "\(keys) for \(contents.secretKeys)" }
    guard answer == nil else { return nil }
    let unwritten = process.engine.machine.usersWithUnwrittenAnswers
    for record in contents.users where record.id == contents.currentID || record.secretKey != nil {
      if unwritten.contains(record.id) { continue }
      let token = try vault.coding.user(of: record).token
      if let newest = newest[record.id], token != newest { return "\(record.id) has \(token), not \(newest)" }
    }
    return nil
  }
}

import Foundation
import Signals
import TestSupport
import Testing

@testable import Contexts

@Suite("Renewals of users who have left")
struct LateRenewalTests {
  let clock = TestClock()
  let archive = MemoryArchive()
  let secrets = FlakySecretStore()

  /// Returns a process with Ada logged in, whose session is being renewed.
  private func renewing(keepsSessions: Bool = true) -> ScriptedProcess {
    let process = ScriptedProcess(
      archive: archive, secrets: secrets, clock: clock, policy: SessionPolicy(keepsSessions: keepsSessions))
    process.server.trusts = true
    process.restore()
    process.ask { .start(Account(), $0, replacing: false) }
    process.ask { .refresh($0, isForced: false) }
    return process
  }

  /// Returns such a process after Grace has replaced Ada.
  private func replaced() -> ScriptedProcess {
    let process = renewing()
    process.ask { .start(Account(id: "grace", token: "g0"), $0, replacing: true) }
    return process
  }

  private func reopen(_ process: ScriptedProcess, _ id: String = "ada") throws -> Account? {
    let call = process.ask { .reopen(userID: id, $0) }
    return try #require(process.answers(to: call).first).get()
  }

  @Test
  func `a renewal answered after the user was replaced is kept for that user`() throws {
    let process = replaced()
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.status?.user?.token == "g0")
    #expect(try reopen(process)?.token == "t1")
    #expect(try reopen(process, "grace")?.token == "g0")
    #expect(try secrets.keys().count == 2)
  }

  @Test
  func `a renewal answered after the user was reopened replaces the used token`() throws {
    let process = replaced()
    #expect(try reopen(process)?.token == "t0")
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.status?.user?.token == "t1")
    #expect(process.status?.authState == .authenticated)
    #expect(try secrets.keys().count == 2)
  }

  @Test
  func `a renewal answered after a new login of the same user changes nothing`() throws {
    let process = replaced()
    process.ask { .start(Account(token: "n0"), $0, replacing: true) }
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.status?.user?.token == "n0")
    #expect(try reopen(process, "grace")?.token == "g0")
    #expect(try reopen(process)?.token == "n0")
  }

  @Test
  func `a renewal answered after a logout changes nothing`() throws {
    let process = replaced()
    _ = try reopen(process)
    process.ask(SessionEvent.logout)
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(throws: ContextError.noSession(userID: "ada")) { try reopen(process) }
    #expect(try secrets.keys().count == 1)
  }

  @Test
  func `a session that the server refuses after the user was replaced is no longer kept`() throws {
    let process = replaced()
    process.rejectRefresh(0, ServerFailure(AuthRejection(reason: "invalid_grant", status: 400)))
    #expect(process.status?.user?.id == "grace")
    #expect(throws: ContextError.noSession(userID: "ada")) { try reopen(process) }
  }

  @Test
  func `a renewal that could not be archived is kept when another user follows`() throws {
    let process = renewing()
    archive.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    let full = process.ask { .start(Account(id: "grace", token: "g0"), $0, replacing: true) }
    #expect(throws: ContextError.self) { try #require(process.answers(to: full).first).get() }
    #expect(process.status?.user?.id == "ada", "the user stays")
    archive.fails = false
    process.ask { .start(Account(id: "grace", token: "g0"), $0, replacing: true) }
    #expect(process.status?.user?.id == "grace")
    #expect(try reopen(process)?.token == "t1")
    #expect(try secrets.keys().count == 2)
  }

  enum Successor: CaseIterable {
    case login, reopened, nobody
  }

  @Test(arguments: Successor.allCases)
  func `a renewal that could not be archived is kept when another process has replaced its user`(
    _ successor: Successor
  ) throws {
    let process = renewing()
    secrets.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    secrets.fails = false
    replaceElsewhere(successor)
    // The process has not read the archive since.
    #expect(process.status?.user?.id == "ada")
    if successor == .reopened {
      #expect(try reopen(process, "linus")?.token == "l0")
    } else {
      process.ask { .start(Account(id: "linus", token: "l0"), $0, replacing: true) }
    }
    #expect(process.status?.user?.id == "linus")
    #expect(try reopen(process)?.token == "t1")
  }

  @Test
  func `a logout ends the kept session of its user, whom another process has replaced before`() throws {
    let process = renewing()
    replaceElsewhere(.login)
    let call = process.ask(SessionEvent.logout)
    #expect(process.status?.user?.id == "grace")
    #expect(throws: ContextError.noSession(userID: "ada")) { try reopen(process) }
    let request = process.server.requests.count - 1
    try #require(process.server.requests[request].kind == "logout")
    process.answerLogout(request)
    #expect(try #require(process.answers(to: call).first).get() == nil)
  }

  @Test(arguments: [true, false])
  func `a renewal is kept when the logout during it cannot be archived`(_ isAnsweredBefore: Bool) throws {
    let process = renewing()
    archive.fails = true
    if isAnsweredBefore { process.answerRefresh(0, user: Account(token: "t1")) }
    let call = process.ask(SessionEvent.logout)
    #expect(throws: ContextError.self) { try #require(process.answers(to: call).first).get() }
    if !isAnsweredBefore { process.answerRefresh(0, user: Account(token: "t1")) }
    archive.fails = false
    // The archive still has the session.
    #expect(try reopen(process)?.token == "t1")
  }

  @Test(arguments: [true, false])
  func `the next process does not send a token again after a logout that could not be archived`(
    _ isAnsweredBefore: Bool
  ) throws {
    let process = renewing(keepsSessions: false)
    // The change of the name by both sides does not make the answer obsolete.
    process.ask { .update({ $0.name = "Countess" }, $0) }
    guard case .refresh(let session, let reply) = process.server.requests.first else {
      Issue.record("\(process.server.requests)")
      return
    }
    let isLockReleased = MutableProperty(false)
    let answer = {
      let renewal = Renewal(
        user: Account(name: "Byron", token: "t1"), attempt: RenewalAttempt(session: session))
      reply(.renewed(renewal)) { isLockReleased.value = true }
    }
    archive.fails = true
    if isAnsweredBefore { answer() }
    let call = process.ask(SessionEvent.logout)
    #expect(throws: ContextError.self) { try #require(process.answers(to: call).first).get() }
    if !isAnsweredBefore { answer() }
    #expect(process.status?.user == nil)
    #expect(!isLockReleased.value, "the next token is in memory only")
    archive.fails = false
    clock.advance(by: .seconds(1))
    #expect(isLockReleased.value)
    #expect(process.status?.user == nil)
    let next = ScriptedProcess(archive: archive, secrets: secrets, clock: clock)
    next.restore()
    guard case .refresh(let restored, _) = next.server.requests.first else {
      Issue.record("\(next.server.requests)")
      return
    }
    #expect(restored.user == Account(name: "Byron", token: "t1"))
  }

  @Test
  func `a user who is reopened after a logout that could not be archived gets the answer to the renewal`() throws {
    let process = renewing(keepsSessions: false)
    archive.fails = true
    process.ask(SessionEvent.logout)
    archive.fails = false
    #expect(try reopen(process)?.token == "t0")
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.status?.user?.token == "t1")
  }

  @Test(arguments: [true, false])
  func `nothing of a session is kept after a logout that was archived, unless sessions are kept`(
    _ isAnsweredBefore: Bool
  ) throws {
    let process = renewing(keepsSessions: false)
    if isAnsweredBefore {
      archive.fails = true
      process.answerRefresh(0, user: Account(token: "t1"))
      archive.fails = false
    }
    process.ask(SessionEvent.logout)
    if !isAnsweredBefore {
      archive.failsToRead = true
      process.answerRefresh(0, user: Account(token: "t1"))
      archive.failsToRead = false
    }
    #expect(process.engine.machine.usersWithUnwrittenAnswers.isEmpty)
    #expect(process.status?.user == nil)
    #expect(process.status?.lastError == nil)
    #expect(archive.archived.currentID == nil)
    #expect(try secrets.keys().isEmpty)
  }

  @Test
  func `an answer after a failed logout does not replace a session that another process has renewed`() throws {
    let process = renewing(keepsSessions: false)
    let other = ScriptedProcess(archive: archive, secrets: secrets, clock: clock)
    other.restore()
    archive.fails = true
    process.ask(SessionEvent.logout)
    archive.fails = false
    other.answerRefresh(0, user: Account(token: "t9"))
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.engine.machine.usersWithUnwrittenAnswers.isEmpty)
    #expect(process.status?.user == nil)
    guard case .user(let archived) = process.engine.vault.look() else {
      Issue.record("\(process.engine.vault.look())")
      return
    }
    #expect(archived.user.token == "t9")
  }

  @Test
  func `a logout in another process makes an answer obsolete that a failed logout has kept`() throws {
    let process = renewing(keepsSessions: false)
    let other = ScriptedProcess(archive: archive, secrets: secrets, clock: clock)
    other.server.trusts = true
    other.restore()
    archive.fails = true
    process.ask(SessionEvent.logout)
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.engine.machine.usersWithUnwrittenAnswers == ["ada"])
    archive.fails = false
    other.ask(SessionEvent.logout)
    process.engine.look()
    #expect(process.engine.machine.usersWithUnwrittenAnswers.isEmpty)
    #expect(archive.archived.currentID == nil)
    #expect(try secrets.keys().isEmpty)
  }

  private func replaceElsewhere(_ successor: Successor) {
    let other = ScriptedProcess(
      archive: archive, secrets: secrets, clock: clock, policy: SessionPolicy(keepsSessions: true))
    other.server.trusts = true
    other.restore()
    if successor == .reopened {
      other.ask { .start(Account(id: "linus", token: "l0"), $0, replacing: true) }
    }
    if successor == .nobody {
      other.ask(SessionEvent.setAside)
    } else {
      other.ask { .start(Account(id: "grace", token: "g0"), $0, replacing: true) }
    }
  }

  @Test
  func `a full disk leaves the user logged in, and the other session kept`() throws {
    let process = replaced()
    archive.fails = true
    let calls = [process.ask { .reopen(userID: "ada", $0) }, process.ask(SessionEvent.setAside)]
    for call in calls {
      #expect(throws: ContextError.self) { try #require(process.answers(to: call).first).get() }
    }
    #expect(process.status?.user?.id == "grace")
    archive.fails = false
    #expect(try reopen(process)?.token == "t0")
  }

  @Test
  func `a user who leaves during the renewal is kept with its result`() throws {
    let process = ScriptedProcess(
      archive: archive, secrets: secrets, clock: clock, policy: SessionPolicy(keepsSessions: true))
    process.server.trusts = true
    process.restore()
    process.ask { .start(Account(), $0, replacing: false) }
    let renewal = process.ask { .refresh($0, isForced: false) }
    let leaving = process.ask(SessionEvent.setAside)
    #expect(throws: ContextError.sessionEnded) { try #require(process.answers(to: renewal).first).get() }
    #expect(try #require(process.answers(to: leaving).first).get() == nil)
    #expect(process.states.last == .unauthenticated)
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(try reopen(process)?.token == "t1")
  }

  @Test
  func `a kept user of an earlier model is migrated when reopened`() throws {
    let process = replaced()
    var contents = archive.archived
    let index = try #require(contents.users.firstIndex { $0.id == "ada" })
    contents.users[index].version = 0
    try archive.write(contents)
    #expect(throws: ContextError.self) { try reopen(process) }
    #expect(process.status?.user?.id == "grace")
    process.engine.vault.coding.migrate.value = { _, _ in Account(name: "migrated") }
    #expect(try reopen(process)?.name == "migrated")
    #expect(process.status?.user?.token == "t0")
  }

  @Test
  func `a late answer that could not be stored is reported, and stored as soon as possible`() throws {
    let process = replaced()
    secrets.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.status?.user?.id == "grace")
    for pause in [1, 2, 4] {
      guard case .secret = process.status?.lastError else {
        Issue.record("\(String(describing: process.status?.lastError))")
        return
      }
      clock.advance(by: .seconds(pause))
    }
    #expect(throws: ContextError.self) { try reopen(process) }
    #expect(process.status?.user?.id == "grace")
    secrets.fails = false
    clock.advance(by: .seconds(8))
    #expect(process.status?.lastError == nil)
    #expect(try reopen(process)?.token == "t1")
    #expect(try reopen(process, "grace")?.token == "g0")
  }

  @Test
  func `a late answer that could not be stored is stored although no one is logged in, after a suspension`() throws {
    let process = replaced()
    secrets.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    secrets.fails = false
    process.ask(SessionEvent.logout)
    #expect(process.status?.user == nil)
    process.engine.submit(.wake(isResuming: true))
    #expect(try reopen(process)?.token == "t1")
  }

  @Test
  func `a late answer that could not be stored is written together with the reopening`() throws {
    let process = replaced()
    secrets.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    secrets.fails = false
    #expect(try reopen(process)?.token == "t1")
    #expect(process.server.requests.count == 1)
    #expect(try secrets.keys().count == 2)
  }

  @Test
  func `a new login or a logout of the user makes an answer obsolete that could not be stored`() throws {
    let process = replaced()
    secrets.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    secrets.fails = false
    process.ask { .start(Account(token: "n0"), $0, replacing: true) }
    clock.advance(by: .seconds(60))
    #expect(process.status?.user?.token == "n0")
    process.ask(SessionEvent.logout)
    clock.advance(by: .seconds(60))
    #expect(throws: ContextError.noSession(userID: "ada")) { try reopen(process) }
    #expect(process.status?.lastError == nil)
  }

  @Test
  func `a renewal that could not be stored is not lost when another process replaces the user`() throws {
    let process = renewing()
    secrets.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    secrets.fails = false
    let other = ScriptedProcess(
      archive: archive, secrets: secrets, clock: clock, policy: SessionPolicy(keepsSessions: true))
    other.server.trusts = true
    other.restore()
    other.ask { .start(Account(id: "grace", token: "g0"), $0, replacing: true) }
    process.engine.look()
    #expect(process.status?.user?.id == "grace")
    clock.advance(by: .seconds(10))
    #expect(try reopen(other)?.token == "t1")
    #expect(process.server.requests.count == 1)
  }
}

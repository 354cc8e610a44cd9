import Foundation
import TestSupport
import Testing

@testable import Contexts

@Suite("A session, step by step")
struct ScriptedSessionTests {
  let clock = TestClock()
  let archive = MemoryArchive()
  let secrets = MemorySecretStore()
  let noNetwork = ServerFailure(kind: "URLError", status: -1009, text: "no network")
  let rejection = ServerFailure(AuthRejection(reason: "invalid_grant", status: 400))

  private func process(_ chance: Double = 0.5) -> ScriptedProcess {
    ScriptedProcess(archive: archive, secrets: secrets, clock: clock, chance: chance)
  }

  /// Returns a process with a logged-in user, whom the next launch restores.
  private func loggedIn(_ account: Account = Account()) -> ScriptedProcess {
    let process = process()
    process.restore()
    process.ask { .start(account, $0, replacing: false) }
    return process
  }

  private func after(_ seconds: TimeInterval) -> Date { .beginning + clock.now.offset.seconds + seconds }

  @Test
  func `a launch goes from restoring to presession, and to authenticated after the renewal`() {
    _ = loggedIn()
    let process = process()
    #expect(process.engine.machine.state == .restoring)
    process.restore()
    #expect(process.states == [.presession])
    #expect(process.status?.activity == .refreshing)
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.states == [.presession, .authenticated])
    #expect(process.status?.user?.token == "t1")
  }

  @Test
  func `a login takes one turn of the queue, although the process announces what it wrote to itself`() {
    let process = process()
    process.restore()
    let (turns, loads) = (process.turns, process.loads)
    process.ask { .start(Account(), $0, replacing: false) }
    #expect(process.states.last == .authenticated)
    #expect(process.turns == turns + 1)
    #expect(process.loads == loads + 1)
  }

  @Test
  func `a migrated user who cannot be archived is not shown`() throws {
    try archive.write(
      ArchiveContents(
        revision: 4, session: 4, generation: 4, currentID: "ada",
        users: [ArchivedRecord(id: "ada", version: 0, payload: "{}")]))
    archive.fails = true
    let process = process()
    process.restore { _, _ in Account() }
    #expect(process.states == [.unauthenticated])
    #expect(process.status?.user == nil)
    #expect(process.status?.lastError != nil)
  }

  @Test
  func `a session that another process has renewed replaces no newer one`() throws {
    var machine = loggedIn().engine.machine
    _ = machine.handle(.refresh(100, isForced: true), now: after(0), chance: 0.5)
    let stored = try #require(machine.stored)
    var renewed = stored
    renewed.generation += 1
    renewed.revision += 1
    renewed.user.token = "t1"
    var newer = renewed
    newer.revision += 1
    newer.user.name = "Ada L."
    _ = machine.handle(.found(.user(newer)), now: after(0), chance: 0.5)
    let answer = SessionEvent.refreshAnswered(.adopted(renewed), epoch: machine.epoch, flight: machine.flight)
    _ = machine.handle(answer, now: after(0), chance: 0.5)
    #expect(machine.stored?.revision == newer.revision)
    #expect(machine.stored?.user == newer.user)
  }

  @Test
  func `a thousand requests for a valid session are answered by one renewal`() throws {
    let process = loggedIn(Account(expiration: after(-1)))
    let calls = (0..<1000).map { _ in process.ask(SessionEvent.valid) }
    #expect(process.server.requests.count == 1)
    process.answerRefresh(0, user: Account(token: "t1", expiration: after(60)))
    for call in calls { #expect(try process.answers(to: call).map { try $0.get()?.token } == ["t1"]) }
  }

  @Test
  func `a forced renewal during another one gets its own request`() throws {
    let process = loggedIn()
    let first = process.ask { .refresh($0, isForced: false) }
    let forced = process.ask { .refresh($0, isForced: true) }
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.answers(to: first).count == 1)
    #expect(process.answers(to: forced).isEmpty)
    #expect(process.server.requests.count == 2)
    process.answerRefresh(1, user: Account(token: "t2"))
    #expect(try process.answers(to: forced).map { try $0.get()?.token } == ["t2"])
  }

  @Test
  func `failures are retried after 1, 2, 4 seconds and so on, at most a minute apart, without end`() {
    let process = loggedIn()
    process.ask { .refresh($0, isForced: false) }
    for (round, delay) in [1, 2, 4, 8, 16, 32, 60, 60, 60].enumerated() {
      process.answerRefresh(round, .failed(.refreshFailed(noNetwork)))
      #expect(process.status?.authState == .authenticated)
      #expect(process.status?.lastError == .refreshFailed(noNetwork))
      clock.advance(by: .milliseconds(delay * 1000 - 1))
      #expect(process.server.requests.count == round + 1)
      clock.advance(by: .milliseconds(1))
      #expect(process.server.requests.count == round + 2)
    }
    process.answerRefresh(9, user: Account(token: "t1"))
    #expect(process.status?.lastError == nil)
  }

  @Test(arguments: [(0.0, 0.8), (1.0, 1.2)])
  func `the delay before a retry varies at random`(_ chance: Double, _ seconds: Double) {
    let process = process(chance)
    process.restore()
    process.ask { .start(Account(), $0, replacing: false) }
    process.ask { .refresh($0, isForced: false) }
    process.answerRefresh(0, .failed(.refreshFailed(noNetwork)))
    clock.advance(by: .seconds(seconds - 0.01))
    #expect(process.server.requests.count == 1)
    clock.advance(by: .seconds(0.02))
    #expect(process.server.requests.count == 2)
  }

  @Test
  func `a resumed process retries a failed renewal at once`() {
    let process = loggedIn()
    process.ask { .refresh($0, isForced: false) }
    process.answerRefresh(0, .failed(.refreshFailed(noNetwork)))
    process.engine.submit(.wake(isResuming: true))
    #expect(process.server.requests.count == 2)
  }

  @Test
  func `a session is renewed before it expires, by a minute or a fifth of its lifetime`() {
    let process = loggedIn(Account(expiration: after(3600)))
    clock.advance(by: .seconds(3539))
    #expect(process.server.requests.isEmpty)
    clock.advance(by: .seconds(1))
    #expect(process.server.requests.count == 1)
    process.answerRefresh(0, user: Account(token: "t1", expiration: after(100)))
    clock.advance(by: .seconds(79))
    #expect(process.server.requests.count == 1)
    clock.advance(by: .seconds(1))
    #expect(process.server.requests.count == 2)
  }

  @Test
  func `a session that expires while the server is unreachable is presession until it is renewed`() {
    let process = loggedIn(Account(expiration: after(100)))
    clock.advance(by: .seconds(80))
    process.answerRefresh(0, .failed(.refreshFailed(noNetwork)))
    #expect(process.states == [.unauthenticated, .authenticated])
    clock.advance(by: .seconds(20))
    #expect(process.status?.authState == .presession)
    #expect(process.status?.user == Account(expiration: .beginning + 100))
    process.answerRefresh(process.server.requests.count - 1, user: Account(token: "t1"))
    #expect(process.status?.authState == .authenticated)
  }

  @Test
  func `a rejection ends the session once, and removes the secret`() {
    let process = loggedIn()
    let call = process.ask { .refresh($0, isForced: false) }
    #expect(secrets.keys().count == 1)
    process.rejectRefresh(0, rejection)
    #expect(process.states == [.unauthenticated, .authenticated, .unauthenticated])
    #expect(process.status?.lastError == .rejected(rejection))
    #expect(process.answers(to: call) == [.failure(.rejected(rejection))])
    #expect(secrets.keys().isEmpty)
    let next = self.process()
    next.restore()
    #expect(next.states == [.unauthenticated])
  }

  @Test
  func `a renewal that returns another user ends the session, and archives nothing of that user`() {
    let process = loggedIn()
    process.ask { .refresh($0, isForced: false) }
    process.answerRefresh(0, user: Account(id: "eve", token: "hers"))
    #expect(process.status?.authState == .unauthenticated)
    #expect(process.status?.lastError == .differentUser(expected: "ada", found: "eve"))
    #expect(archive.archived.users.map(\.id) == ["ada"])
  }

  @Test
  func `an answer that arrives after the logout, or in the next session, changes nothing`() {
    let process = loggedIn()
    process.ask { .refresh($0, isForced: false) }
    process.ask(SessionEvent.logout)
    process.answerRefresh(0, user: Account(token: "late"))
    process.answerLogout(1)
    process.answerRefresh(0, user: Account(token: "late"))
    #expect(process.status?.authState == .unauthenticated)
    process.ask(SessionEvent.login)
    process.answerLogin(2, .success(Account(id: "grace", token: "g")))
    process.answerRefresh(0, user: Account(token: "late"))
    process.rejectRefresh(0, rejection)
    process.answerLogout(1)
    #expect(process.status?.user == Account(id: "grace", token: "g"))
  }

  @Test
  func `a logout during a login ends the login`() {
    let process = process()
    process.restore()
    let login = process.ask(SessionEvent.login)
    let logout = process.ask(SessionEvent.logout)
    process.answerLogin(0, .success(Account()))
    #expect(process.states == [.unauthenticated])
    #expect(process.answers(to: login) == [.failure(.sessionEnded)])
    #expect(process.answers(to: logout) == [.success(nil)])
  }

  @Test
  func `a logout ends the session as soon as it is archived, regardless of the server's answer`() {
    let process = loggedIn()
    let call = process.ask(SessionEvent.logout)
    #expect(archive.archived.currentID == nil)
    #expect(secrets.keys().isEmpty)
    #expect(process.status?.activity == .deauthenticating)
    #expect(process.status?.authState == .unauthenticated)
    #expect(process.status?.user == nil)
    let second = process.ask(SessionEvent.logout)
    #expect(process.answers(to: call).isEmpty && process.answers(to: second).isEmpty, "the server has not answered")
    process.answerLogout(0, .deauthenticationFailed(noNetwork))
    #expect(process.answers(to: second) == [.success(nil)])
    #expect(process.answers(to: call) == [.success(nil)])
    #expect(process.status?.authState == .unauthenticated)
    #expect(process.status?.lastError == .deauthenticationFailed(noNetwork))
  }

  @Test
  func `a server that does not answer a logout does not block the next login`() {
    let process = loggedIn()
    let logout = process.ask(SessionEvent.logout)
    process.ask(SessionEvent.login)
    #expect(process.answers(to: logout) == [.success(nil)])
    process.answerLogin(1, .success(Account(id: "grace")))
    #expect(process.states.last == .authenticated)
    process.answerLogout(0, .deauthenticationFailed(noNetwork))
    #expect(process.status?.user?.id == "grace")
    #expect(process.status?.lastError == nil)
    #expect(process.answers(to: logout).count == 1)
  }

  @Test
  func `a renewed session that cannot be archived is shown once it can be, without another request`() throws {
    let process = loggedIn()
    let call = process.ask { .refresh($0, isForced: false) }
    archive.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.status?.user?.token == "t0")
    guard case .failure(.archive) = process.answers(to: call).first else {
      Issue.record("\(process.answers(to: call))")
      return
    }
    archive.fails = false
    clock.advance(by: .seconds(1))
    #expect(process.server.requests.count == 1)
    #expect(process.status?.user?.token == "t1")
    #expect(process.status?.lastError == nil)
  }

  @Test
  func `a renewal does not revive a session that another process has ended`() {
    let process = loggedIn()
    process.ask { .refresh($0, isForced: false) }
    let other = self.process()
    other.restore()
    other.ask(SessionEvent.logout)
    process.answerRefresh(0, user: Account(token: "t1"))
    #expect(process.status?.authState == .unauthenticated)
    #expect(process.status?.lastError == .endedElsewhere)
    #expect(archive.archived.currentID == nil)
  }

  @Test
  func `another process's login during a logout request is followed at once`() {
    let process = loggedIn()
    let logout = process.ask(SessionEvent.logout)
    let other = self.process()
    other.restore()
    other.ask { .start(Account(id: "grace"), $0, replacing: false) }
    #expect(process.status?.activity == .deauthenticating)
    process.engine.look()
    #expect(process.status?.authState == .authenticated)
    #expect(process.status?.user?.id == "grace")
    #expect(process.answers(to: logout) == [.success(nil)])
    process.answerLogout(0)
    #expect(process.status?.user?.id == "grace")
  }

  @Test
  func `a logout that cannot be archived persists, even if another process renews the session`() {
    let process = loggedIn()
    let other = self.process()
    other.restore()
    archive.fails = true
    process.ask(SessionEvent.logout)
    process.answerLogout(0)
    archive.fails = false
    other.answerRefresh(0, user: Account(token: "t1"))
    process.engine.look()
    #expect(process.status?.authState == .unauthenticated)
    other.ask { .start(Account(id: "grace"), $0, replacing: true) }
    process.engine.look()
    #expect(process.status?.user?.id == "grace")
  }

  @Test
  func `changes by the user and by the server during a renewal are both kept`() {
    let process = loggedIn(Account(expiration: after(100)))
    process.ask { .refresh($0, isForced: false) }
    process.ask { .update({ $0.name = "Countess" }, $0) }
    process.answerRefresh(0, user: Account(name: "Ada", token: "t1", expiration: after(200)))
    #expect(process.status?.user == Account(name: "Countess", token: "t1", expiration: after(200)))
    process.ask { .refresh($0, isForced: false) }
    process.ask { .update({ $0.name = "Lovelace" }, $0) }
    process.answerRefresh(1, user: Account(name: "Byron", token: "t2"))
    #expect(process.status?.user == Account(name: "Byron", token: "t2"), "where both change, the server decides")
    let next = self.process()
    next.restore()
    #expect(next.status?.user == Account(name: "Byron", token: "t2"))
  }

  @Test
  func `a change by the user is kept while a renewed session cannot be archived`() {
    let process = loggedIn()
    process.ask { .refresh($0, isForced: false) }
    archive.fails = true
    process.answerRefresh(0, user: Account(token: "t1"))
    archive.fails = false
    process.ask { .update({ $0.name = "Countess" }, $0) }
    clock.advance(by: .seconds(1))
    #expect(process.status?.user == Account(name: "Countess", token: "t1"))
  }

  @Test
  func `a login does not replace an archive that is temporarily unreadable`() {
    let process = loggedIn(Account(id: "grace"))
    process.ask(SessionEvent.logout)
    process.answerLogout(0)
    archive.failsToRead = true
    let login = process.ask { .start(Account(), $0, replacing: false) }
    guard case .failure(.archive) = process.answers(to: login).first else {
      Issue.record("\(process.answers(to: login))")
      return
    }
    archive.failsToRead = false
    process.ask { .start(Account(), $0, replacing: false) }
    #expect(archive.archived.users.map(\.id) == ["grace", "ada"])
  }

  @Test
  func `requests before the archive is read are rejected`() {
    let process = process()
    for event in [SessionEvent<Account>.login, SessionEvent.valid, SessionEvent.logout] {
      #expect(process.answers(to: process.ask(event)) == [.failure(.notSetUp)])
    }
  }
}

extension ScriptedSessionTests {
  @Test
  func `two concurrent changes are both kept`() {
    let process = loggedIn()
    let other = self.process()
    other.restore()
    process.ask { .update({ $0.name += " Lovelace" }, $0) }
    other.ask { .update({ $0.name = "Countess " + $0.name }, $0) }
    process.engine.look()
    #expect(process.status?.user?.name == "Countess Ada Lovelace")
  }
}

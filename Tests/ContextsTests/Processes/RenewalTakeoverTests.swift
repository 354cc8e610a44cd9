import FileSignals
import Foundation
import TestSupport
import Testing

@testable import Contexts

@Suite("Takeover of renewals")
struct RenewalTakeoverTests {
  let directory: TemporaryDirectory
  let vault: SessionVault<Account>
  let lockURL: URL

  init() throws {
    directory = try TemporaryDirectory()
    lockURL = directory.file("refresh")
    vault = SessionVault(
      archive: FileArchive(url: directory.file("session.json")), coding: UserCoding(secrets: MemorySecretStore()),
      lockURL: directory.file("archive"), claims: RenewalClaims(url: directory.file("renewal.json")))
  }

  private func loggedIn() throws -> StoredSession<Account> {
    guard case .written(let session, _) = vault.perform(.login(Account(), nil), after: 0) else {
      throw ContextError.sessionEnded
    }
    return session
  }

  private func lock() async throws -> RenewalLock {
    guard case .held(let lock) = try await RenewalLock.acquire(on: lockURL, within: .seconds(60)) else {
      throw ContextError.sessionEnded
    }
    return lock
  }

  private func busyPlace() async throws -> FilePlace {
    guard case .busy(let place) = try await RenewalLock.acquire(on: lockURL, within: .zero) else {
      throw ContextError.sessionEnded
    }
    return place
  }

  private func takeOver(
    _ session: StoredSession<Account>, _ place: FilePlace, known: RenewalClaim? = nil, repeats: Bool = false
  ) -> String {
    switch vault.takeOverRenewal(of: session, from: place, known: known, acceptsTokenReuse: repeats) {
    case .broken: "broken"
    case .answer(.failed(.refreshBlocked(let process))): process == getpid() ? "blocked" : "blocked by another"
    case .answer(.adopted(let session)): "adopted \(session.user.token)"
    case .answer: "another answer"
    }
  }

  @Test
  func `a process whose lock is broken before its request sends none`() async throws {
    let session = try loggedIn()
    let stopped = try await lock()
    let place = try await busyPlace()
    #expect(takeOver(session, place) == "broken")
    let next = try await lock()
    guard case .superseded = vault.beginRenewal(of: session, under: stopped) else {
      Issue.record("It asks")
      return
    }
    // A process that gave up on the first lock does not break the second.
    #expect(takeOver(session, place) == "broken")
    #expect(try next.isCurrent)
    guard case .ask = vault.beginRenewal(of: session, under: next) else {
      Issue.record("Nobody asks")
      return
    }
    withExtendedLifetime((stopped, next)) {}
  }

  @Test
  func `a claimed token blocks others, unless it may be reused and the claim is old`() async throws {
    let session = try loggedIn()
    let holder = try await lock()
    guard case .ask = vault.beginRenewal(of: session, under: holder) else {
      Issue.record("Nobody asks")
      return
    }
    let place = try await busyPlace()
    let claim = try vault.claims?.read()
    #expect(takeOver(session, place, known: claim) == "blocked")
    #expect(takeOver(session, place, known: nil, repeats: true) == "blocked", "it has only begun")
    #expect(try holder.isCurrent)
    #expect(takeOver(session, place, known: claim, repeats: true) == "broken")
    #expect(try !holder.isCurrent)
  }

  @Test
  func `an answer that arrives after a takeover is not archived, and ends no session`() async throws {
    let session = try loggedIn()
    let stopped = RenewalAttempt(session: session, lock: try await lock())
    #expect(takeOver(session, try await busyPlace()) == "broken")
    for write in [
      SessionWrite.renewal(Renewal(user: Account(token: "late"), attempt: stopped)), .end(stopped),
    ] {
      guard case .superseded(.user(let found), _) = vault.perform(write, after: 0) else {
        Issue.record("It is archived")
        return
      }
      #expect(found.user.token == "t0")
    }
    let next = RenewalAttempt(session: session, lock: try await lock())
    guard case .written = vault.perform(.renewal(Renewal(user: Account(token: "t1"), attempt: next)), after: 0) else {
      Issue.record("It is not archived")
      return
    }
    #expect(takeOver(session, try await busyPlace()) == "adopted t1")
    // Even with a current lock, the first of two answers counts.
    guard case .superseded = vault.perform(.renewal(Renewal(user: Account(token: "t2"), attempt: next)), after: 0)
    else {
      Issue.record("It is archived twice")
      return
    }
    guard case .user(let found) = vault.look() else {
      Issue.record("The session is gone")
      return
    }
    #expect(found.user.token == "t1")
  }
}

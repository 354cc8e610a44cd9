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

  private func busyPlace() async throws -> FileDescriptors {
    guard case .busy(let place) = try await RenewalLock.acquire(on: lockURL, within: .zero) else {
      throw ContextError.sessionEnded
    }
    return place
  }

  private func takeOver(
    _ session: StoredSession<Account>, _ place: FileDescriptors, known: RenewalClaim? = nil, repeats: Bool = false
  ) -> String {
    switch vault.takeOverRenewal(of: session, from: place, known: known, acceptsTokenReuse: repeats) {
    case nil: "broken"
    case .failed(.refreshBlocked(let process)): process == getpid() ? "blocked" : "blocked by another"
    case .adopted(let session): "adopted \(session.user.token)"
    case .some: "another answer"
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
    let claim = try vault.claims?.claim(of: "ada")
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

  private func claims() throws -> RenewalClaims { try #require(vault.claims) }

  @Test
  func `a claim stays while other users are claimed, and is removed with its user's next token or session`() throws {
    let claims = try claims()
    for id in ["ada", "grace"] {
      try claims.put(RenewalClaim(process: 7, session: 1, generation: 1, userID: id))
    }
    #expect(try claims.claim(of: "ada")?.process == 7)
    #expect(try claims.claim(of: "grace")?.process == 7)
    try claims.put(RenewalClaim(process: 8, session: 2, generation: 2, userID: "grace")) { $0 != "ada" }
    #expect(try claims.claim(of: "ada") == nil, "the user has no session any more")
    #expect(try claims.claim(of: "grace")?.process == 8)
    try claims.remove { $0.userID == "grace" }
    #expect(try claims.claim(of: "grace") == nil)
  }

  @Test
  func `the claim of an earlier version is read, and kept beside the claim of another user`() throws {
    let attempt = UUID()
    let old = #"""
      {"version":1,"value":{"process":7,"session":3,"generation":4,"userID":"ada","attempt":"\#(attempt)"}}
      """#
    let claims = try claims()
    try Data(old.utf8).write(to: claims.url)
    #expect(try claims.claim(of: "ada")?.attempt == attempt)
    try claims.put(RenewalClaim(process: 8, session: 5, generation: 5, userID: "grace"))
    #expect(try claims.claim(of: "ada")?.attempt == attempt)
    #expect(try claims.claim(of: "grace")?.process == 8)
  }

  @Test(arguments: ["", "garbage", #"{"version":99,"value":1}"#])
  func `damaged claims block no renewal, and those of a newer version are kept`(_ content: String) async throws {
    let session = try loggedIn()
    let claims = try claims()
    try Data(content.utf8).write(to: claims.url)
    let start = vault.beginRenewal(of: session, under: try await lock())
    if content.contains("99") {
      guard case .answer(.failed(.archive(let path, _, let reason))) = start else {
        Issue.record("It asks")
        return
      }
      #expect(path == claims.url.path)
      #expect(reason.contains("99"), "\(reason)")
      #expect(try String(contentsOf: claims.url, encoding: .utf8) == content)
    } else {
      guard case .ask = start else {
        Issue.record("It does not ask: \(start)")
        return
      }
      #expect(try claims.claim(of: "ada")?.process == getpid())
    }
  }

  /// Grace has replaced Ada, whose claimed renewal is in flight.
  private func replaced() throws -> SessionVault<Account> {
    var vault = vault
    vault.keepsSessions = true
    let session = try loggedIn()
    try claims().put(
      RenewalClaim(process: 7, session: session.session, generation: session.generation, userID: "ada"))
    guard case .written = vault.perform(.login(Account(id: "grace", token: "g0"), nil), after: 0) else {
      throw ContextError.sessionEnded
    }
    return vault
  }

  @Test
  func `a claim follows its user through a reopening, also if the process was killed in the middle of one`() throws {
    let vault = try replaced()
    // The process was killed after it had written the claim, and before it wrote the archive.
    var claim = try #require(try claims().claim(of: "ada"))
    (claim.session, claim.generation) = (3, 3)
    try claims().put(claim)
    guard case .written(let reopened, _) = vault.perform(.reopen("ada", 1), after: 0) else {
      Issue.record("It is not reopened")
      return
    }
    #expect(try claims().claim(of: "ada")?.isClaim(for: reopened) == true)
  }

  @Test
  func `a login has a new token, which no claim concerns`() throws {
    let vault = try replaced()
    guard case .written = vault.perform(.login(Account(token: "n0"), nil), after: 0) else {
      Issue.record("No login")
      return
    }
    #expect(try claims().claim(of: "ada") == nil)
  }

  @Test
  func `the claim of a renewal that is over does not block a user who is reopened`() throws {
    var vault = vault
    vault.keepsSessions = true
    let session = try loggedIn()
    try claims().put(
      RenewalClaim(process: 7, session: session.session, generation: session.generation, userID: "ada"))
    let renewal = Renewal(user: Account(token: "t1"), attempt: RenewalAttempt(session: session))
    guard case .written = vault.perform(.renewal(renewal), after: 0),
      case .written = vault.perform(.login(Account(id: "grace", token: "g0"), nil), after: 0)
    else {
      Issue.record("Not written")
      return
    }
    #expect(try claims().claim(of: "ada") == nil)
  }
}

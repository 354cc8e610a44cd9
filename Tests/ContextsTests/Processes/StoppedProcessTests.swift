import Foundation
import TestSupport
import Testing

@testable import Contexts

@Suite("Stopped processes that hold a session's locks")
struct StoppedProcessTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func peer(wait milliseconds: Int = 100, _ repeats: String = "once") async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("context-policy \(milliseconds) \(repeats) forgets")
    try await peer.send("context-open \(directory.url.path) database")
    try await peer.send("context-setup")
    return peer
  }

  /// Lets a process stop itself when its delegate is asked to renew the session.
  private func stopInRenewal(_ peer: PeerProcess) async throws -> Task<String, any Error> {
    try await peer.send("context-stop renew")
    let answer = Task { try await peer.send("context-renew") }
    try await peer.events.wait(for: "stopping renew") { $0.contains("stopping renew") }
    return answer
  }

  private func token() throws -> Int {
    struct State: Decodable {
      let token: Int
    }
    return try JSONDecoder().decode(State.self, from: Data(contentsOf: directory.file("server.json"))).token
  }

  private func refusal(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "no refusal"
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `a renewal fails while a stopped process may have used the token, and its result is adopted later`()
    async
    throws
  {
    let first = try await peer(wait: 10_000)
    try await first.send("context-login ada")
    let second = try await peer()
    let answer = try await stopInRenewal(first)
    let refusal = await refusal { try await second.send("context-renew") }
    #expect(refusal.contains("\(first.identifier)"), "\(refusal)")
    #expect(try await second.send("context-state") == "authenticated ada 1 new", "the user stays")
    #expect(try token() == 1, "the token was not used")
    first.signal(SIGCONT)
    #expect(try await answer.value == "authenticated ada 2 new")
    #expect(try await second.send("context-await authenticated 2") == "authenticated ada 2 new")
    #expect(try await second.send("context-renew").hasPrefix("authenticated ada"))
  }

  @Test
  func `the token of a stopped process that dies is retried`() async throws {
    let first = try await peer(wait: 10_000)
    try await first.send("context-login ada")
    let second = try await peer()
    let answer = try await stopInRenewal(first)
    #expect(await refusal { try await second.send("context-renew") }.contains("\(first.identifier)"))
    try await first.kill()
    await #expect(throws: PeerProcess.Failure.self) { try await answer.value }
    // On a slow machine, the second process may have retried by itself by now.
    let renewed = try await second.send("context-renew")
    let token = try token()
    #expect(renewed == "authenticated ada \(token) new" && (2...3).contains(token), "\(renewed)")
  }

  @Test
  func `a renewal is taken over if tokens may be reused, and the stopped process adopts the new session`()
    async
    throws
  {
    let first = try await peer(wait: 10_000)
    try await first.send("context-login ada")
    let second = try await peer(wait: 100, "repeats")
    let answer = try await stopInRenewal(first)
    #expect(try await second.send("context-renew") == "authenticated ada 2 new")
    // Its delegate continues with the old token, which the server rejects. That must not end the session.
    first.signal(SIGCONT)
    #expect(try await answer.value == "authenticated ada 2 new")
    #expect(try await second.send("context-state") == "authenticated ada 2 new")
    #expect(try token() == 2)
    #expect(try await first.send("context-renew") == "authenticated ada 3 new")
    #expect(try await second.send("context-await authenticated 3") == "authenticated ada 3 new")
  }

  @Test
  func `a lock is taken over if its stopped holder has not contacted the server`() async throws {
    let second = try await peer()
    try await second.send("context-login ada")
    let holder = try PeerProcess()
    try FileManager.default.createDirectory(at: directory.file("renewals"), withIntermediateDirectories: false)
    try await holder.send("hold \(directory.url.path)/renewals/ada")
    holder.signal(SIGSTOP)
    #expect(try await second.send("context-renew") == "authenticated ada 2 new")
    let third = try await peer()
    #expect(try await third.send("context-renew") == "authenticated ada 3 new")
    holder.signal(SIGCONT)
    try await holder.send("release")
    #expect(try await second.send("context-await authenticated 3") == "authenticated ada 3 new")
    #expect(try await second.send("context-renew") == "authenticated ada 4 new")
  }

  @Test
  func `a stopped process that holds the archive makes others' writes fail, and nothing else`() async throws {
    let peer = try await peer()
    try await peer.send("context-login ada")
    let holder = try PeerProcess()
    try await holder.send("hold \(directory.url.path)/archive")
    holder.signal(SIGSTOP)
    let refusal = await refusal { try await peer.send("context-name late") }
    #expect(refusal.contains("(process \(holder.identifier), stopped) has held its lock"), "\(refusal)")
    #expect(try await peer.send("context-state") == "authenticated ada 1 new")
    holder.signal(SIGCONT)
    try await holder.send("release")
    #expect(try await peer.send("context-name later") == "authenticated ada 1 later")
  }
}

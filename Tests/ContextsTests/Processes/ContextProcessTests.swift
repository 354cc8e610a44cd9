import FileSignals
import Foundation
import TestSupport
import Testing

@Suite("Sessions shared by processes", .seeded, .patient)
struct ContextProcessTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func peer(_ location: String = "database", version: Int = 1, setUp: Bool = true) async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("context-version \(version)")
    try await peer.send("context-open \(directory.url.path) \(location)")
    if setUp { try await peer.send("context-setup") }
    return peer
  }

  /// The number of renewals, and the server's current token.
  private func server() throws -> (renewals: Int, token: Int) {
    struct State: Decodable {
      let token: Int
      let renewals: Int
    }
    let state = try JSONDecoder().decode(State.self, from: Data(contentsOf: directory.file("server.json")))
    return (state.renewals, state.token)
  }

  @Test(arguments: ["database", "file"])
  func `two processes with one expired session renew it once, and both receive the result`(_ location: String)
    async throws
  {
    let first = try await peer(location)
    try await first.send("context-login ada")
    let second = try await peer(location)
    let rounds = Scale.count(10, torture: 500)
    for round in 1...rounds {
      let expiring = round % 2 == 0 ? first : second
      async let expired = expiring.send("context-expire")
      async let one = first.send("context-valid")
      async let other = second.send("context-valid")
      _ = try await (expired, one, other)
      try await expect(renewals: round)
      let token = try server().token
      for peer in [first, second] { try await peer.send("context-await authenticated \(token)") }
      if round % 100 == 0 { Scale.progress("\(location): \(round) times two processes have renewed one session once") }
    }
    #expect(try server().renewals == rounds)
    #expect(try await first.send("context-state") == second.send("context-state"))
  }

  /// The renewal may come later, because a process may learn of the expiry only after it was asked.
  private func expect(renewals: Int) async throws {
    for _ in 0..<48_000 {
      if try server().renewals >= renewals { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try server().renewals == renewals)
  }

  @Test
  func `a login, a change and a logout reach the other processes`() async throws {
    let first = try await peer()
    let second = try await peer()
    try await first.send("context-login ada")
    #expect(try await second.send("context-await authenticated 1") == "authenticated ada 1 new")
    try await second.send("context-name changed")
    #expect(try await second.send("context-state") == "authenticated ada 1 changed")
    try await second.send("context-logout")
    #expect(try await first.send("context-await unauthenticated 0") == "unauthenticated nobody")
  }

  @Test(arguments: ["database", "file"])
  func `a process killed during a login, renewal, logout or migration leaves the old session or the new one`(
    _ location: String
  ) async throws {
    let dying = try await peer(location)
    try await kill(dying, holding: "login", "context-login ada")
    let second = try await peer(location)
    #expect(try await second.send("context-state") == "unauthenticated nobody")
    try await second.send("context-login ada")

    try await kill(second, holding: "renew", "context-renew")
    let third = try await peer(location, version: 1)
    #expect(try await third.send("context-renew") == "authenticated ada 2 new")
    try await third.kill()

    let migrating = try await peer(location, version: 2, setUp: false)
    try await kill(migrating, holding: "migrate", "context-setup")
    let fourth = try await peer(location, version: 2)
    #expect(try await fourth.send("context-state") == "authenticated ada 2 migrated from 1")
    try await fourth.kill()
    let fifth = try await peer(location, version: 2)
    #expect(try await fifth.send("context-state") == "authenticated ada 2 migrated from 1", "not migrated twice")

    try await kill(fifth, holding: "logout", "context-logout")
    let last = try await peer(location, version: 2)
    #expect(try await last.send("context-state") == "unauthenticated nobody")
  }

  private func kill(_ peer: PeerProcess, holding word: String, _ command: String) async throws {
    try await peer.send("context-hold \(word)")
    let answer = Task { try await peer.send(command) }
    try await peer.events.wait(for: "holding \(word)") { $0.contains("holding \(word)") }
    try await peer.kill()
    await #expect(throws: PeerProcess.Failure.self) { try await answer.value }
  }

  @Test(arguments: ["database", "file"])
  func `a process killed at any moment leaves the state before or after its last call`(_ location: String) async throws
  {
    var chance = Chance()
    var allowed: Set<String> = ["nobody"]
    let rounds = Scale.count(5, torture: 150)
    for round in 1...rounds {
      let peer = try await peer(location)
      var state = try await peer.send("context-state")
      #expect(allowed.contains(Self.essence(state)), "round \(round): \(state), not one of \(allowed)")
      for step in 0...chance.number(below: 4) {
        let command =
          state.hasPrefix("unauthenticated")
          ? "context-login ada" : ["context-renew", "context-logout", "context-name n\(step)"][chance.number(below: 3)]
        state = try await peer.send(command)
      }
      let last =
        state.hasPrefix("unauthenticated")
        ? "context-login ada" : ["context-logout", "context-name z"][chance.number(below: 2)]
      let answer = Task { try await peer.send(last) }
      try await Task.sleep(for: .microseconds(chance.number(below: 12_000)))
      try await peer.kill()
      allowed = [Self.essence(state), last == "context-logout" ? "nobody" : last == "context-name z" ? "z" : "new"]
      if case .success(let answer) = await answer.result { allowed = [Self.essence(answer)] }
      if round % 50 == 0 { Scale.progress("\(location): \(round) processes killed") }
    }
  }

  /// The user's name, which identifies the last change.
  private static func essence(_ state: String) -> String {
    String(state.split(separator: " ").last ?? "")
  }
}

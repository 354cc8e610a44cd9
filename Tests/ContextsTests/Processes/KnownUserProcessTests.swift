import Foundation
import TestSupport
import Testing

@testable import Contexts

@Suite("Kept sessions shared by processes", .seeded, .patient)
struct KnownUserProcessTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func peer(_ location: String = "database", wait milliseconds: Int = 10_000) async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("context-policy \(milliseconds) once keeps")
    try await peer.send("context-open \(directory.url.path) \(location)")
    try await peer.send("context-setup")
    return peer
  }

  @Test
  func `a user who is reopened in one process is reopened in the others`() async throws {
    let first = try await peer()
    let second = try await peer()
    try await first.send("context-login ada")
    try await second.send("context-await authenticated 1")
    #expect(try await second.send("context-replace grace") == "authenticated grace 0 other")
    #expect(try await first.send("context-await authenticated 0") == "authenticated grace 0 other")
    _ = try await first.send("context-reopen ada")
    #expect(try await second.send("context-await authenticated 1") == "authenticated ada 1 new")
    #expect(try await second.send("context-leave") == "unauthenticated nobody")
    #expect(try await first.send("context-await unauthenticated 0") == "unauthenticated nobody")
  }

  @Test(arguments: ["database", "file"])
  func `a process killed while users change leaves one of the two, and loses no session`(_ location: String)
    async throws
  {
    var chance = Chance()
    do {
      let peer = try await peer(location)
      try await peer.send("context-login ada")
      try await peer.send("context-replace grace")
      try await peer.send("context-reopen ada")
    }
    let rounds = Scale.count(6, torture: 150)
    for round in 1...rounds {
      let peer = try await peer(location)
      for id in ["grace", "ada"] where !(try await peer.send("context-state").contains(id)) {
        #expect(try await peer.send("context-reopen \(id)").contains(id), "round \(round)")
        break
      }
      let isAda = try await peer.send("context-state").contains("ada")
      let last = ["context-reopen \(isAda ? "grace" : "ada")", "context-leave"][chance.number(below: 2)]
      let answer = Task { try await peer.send(last) }
      try await Task.sleep(for: .microseconds(chance.number(below: 12_000)))
      try await peer.kill()
      _ = await answer.result
      let next = try await self.peer(location)
      let state = try await next.send("context-state")
      #expect(state.contains("ada 1 new") || state.contains("grace 0 other") || state.contains("nobody"), "\(state)")
      for id in ["ada", "grace"] where !state.contains(id) {
        #expect(try await next.send("context-reopen \(id)").contains(id == "ada" ? "ada 1 new" : "grace 0 other"))
      }
      let keys = try FileSecretStore(directory: directory.file("secrets")).keys()
      #expect(keys.count == 2, "round \(round): \(keys)")
      try await next.kill()
    }
  }

  /// Starts a process that is stopped while it renews Ada's session, and another one in which Grace replaces her.
  private func replacedWhileStopped() async throws -> (
    first: PeerProcess, second: PeerProcess, answer: Task<String, any Error>
  ) {
    let first = try await peer()
    try await first.send("context-login ada")
    let second = try await peer(wait: 3_000)
    try await first.send("context-stop renew")
    let answer = Task { try await first.send("context-renew") }
    try await first.events.wait(for: "stopping renew") { $0.contains("stopping renew") }
    try await second.send("context-replace grace")
    return (first, second, answer)
  }

  @Test
  func `a token that a stopped process may have used is not sent again after the user was reopened elsewhere`()
    async throws
  {
    let (first, second, answer) = try await replacedWhileStopped()
    try await second.send("context-reopen ada")
    await #expect(throws: PeerProcess.Failure.self) { try await second.send("context-renew") }
    first.signal(SIGCONT)
    _ = await answer.result
    #expect(try await second.send("context-await authenticated 2") == "authenticated ada 2 new")
    #expect(try await second.send("context-renew").hasPrefix("authenticated ada"))
  }

  @Test
  func `the answer to a stopped process reaches the kept session, although another user was renewed meanwhile`()
    async throws
  {
    let (first, second, answer) = try await replacedWhileStopped()
    // The server rejects the token of Grace, whose renewal has broken the lock.
    await #expect(throws: PeerProcess.Failure.self) { try await second.send("context-renew") }
    #expect(try await second.send("context-state") == "unauthenticated nobody")
    first.signal(SIGCONT)
    _ = await answer.result
    try await second.send("context-reopen ada")
    #expect(try await second.send("context-await authenticated 2").contains("ada 2 new"))
    #expect(try await second.send("context-renew").contains("ada 3 new"))
  }
}

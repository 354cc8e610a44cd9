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

  @Test
  func `no token is sent again while its first sender lives, although users change and processes are killed`()
    async throws
  {
    struct State: Decodable {
      let renewals: Int
      let reuses: [Int32]?
    }
    var (kills, renewals) = (0, 0)
    try await runRandomPrograms(seconds: 3, repetitions: 20, until: { renewals > 0 }) { seed in
      let root = try TemporaryDirectory()
      var chance = Chance(seed: seed)
      var peers: [PeerProcess] = []
      for _ in 0..<3 {
        let peer = try PeerProcess()
        peers.append(peer)
        try await peer.send("context-policy 20 once keeps")
        try await peer.send("context-open \(root.url.path) database")
        try await peer.send("context-accounts 40")
        try await peer.send("context-setup")
      }
      try await peers[0].send("context-replace ada")
      let (victim, moment) = (peers[0], chance.number(below: 150_000))
      await withTaskGroup(of: Void.self) { group in
        for (number, peer) in peers.enumerated() {
          group.addTask {
            var chance = Chance(seed: seed &* 31 &+ UInt64(number))
            let commands = [
              "context-replace grace", "context-reopen ada", "context-reopen grace", "context-reopen ada",
              "context-renew", "context-renew", "context-renew", "context-valid", "context-leave", "context-logout",
              "context-replace ada",
            ]
            for _ in 0..<12 {
              let command = commands[chance.number(below: commands.count)]
              // Most of them are refused at times, and the victim ends.
              _ = await Task { try await peer.send(command) }.result
            }
          }
        }
        group.addTask {
          _ = await Task {
            try await Task.sleep(for: .microseconds(moment))
            try await victim.kill()
          }.result
        }
      }
      let state = try JSONDecoder().decode(State.self, from: Data(contentsOf: root.file("server.json")))
      kills += 1
      renewals += state.renewals
      // The token of a process that died is sent again, because no one knows whether the server has seen it.
      let reuses = (state.reuses ?? []).filter { $0 != victim.identifier }
      #expect(reuses == [], "SIGNALS_SEED=\(seed)")
      return reuses.isEmpty
    }
    Scale.progress("\(kills) processes killed, \(renewals) renewals")
    #expect(Scale.seed != nil || renewals > 0)
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

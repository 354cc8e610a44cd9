#if os(Linux)
  import AppGroups
  import Foundation
  import Signals
  import TestSupport
  import Testing

  @Suite("Hazards of limits: watches and instances that run out", .patient)
  struct LimitHazardTests {
    let fixture: Fixture

    init() throws {
      fixture = try Fixture()
    }

    /// Starts a peer in a world with limits of its own, which a user may make in most systems; `nil` if not in this.
    private func peer(watches: Int = 1000, instances: Int = 100) async throws -> PeerProcess? {
      let limits = "/proc/sys/user/max_inotify"
      let script = """
        echo \(watches) > \(limits)_watches && echo \(instances) > \(limits)_instances && exec "$0"
        """
      let peer = try PeerProcess(
        executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", #"exec unshare -Ur sh -c "$1" "$0""#, PeerProcess.builtExecutable.path, script]
      )
      do {
        try await peer.send("ping")
      } catch PeerProcess.Failure.gone {
        return nil
      }
      try await peer.send("container \(fixture.path)")
      return peer
    }

    @Test
    func `when no watch is left, opening says so in words, and what is open goes on`() async throws {
      let file = try fixture.counter("counter.json", 1)
      let depth = fixture.files.pathComponents.count
      guard let peer = try await peer(watches: depth + 1) else { return }
      try await peer.send("open-counter counter.json")
      try await peer.send("observe counter.json")
      // Other directories take more watches than are left.
      let refusals = Recorder<String>()
      for index in 0..<20 {
        let other = try TemporaryDirectory()
        do {
          try await peer.send("container \(other.url.path)")
          try await peer.send("open-counter other\(index).json")
        } catch {
          refusals.record("\(error)")
          break
        }
      }
      let refusal = try #require(refusals.elements.first)
      #expect(refusal.contains("The limit of"))
      #expect(refusal.contains("max_user_watches"))
      try await file.write(2)
      try await peer.events.first("what is open goes on") { $0.hasSuffix(" 2") }
      try await peer.send("increment counter.json 1")
      try await file.firstValue { $0 == 3 }
    }

    @Test
    func `when no watch is left for a directory that comes back, its last value is found all the same`() async throws {
      let file = try fixture.counter("counter.json", 1)
      guard let peer = try await peer(watches: fixture.files.pathComponents.count + 1) else { return }
      try await peer.send("open-counter counter.json")
      try await peer.send("observe counter.json")
      for round in 2...6 {
        try FileManager.default.removeItem(at: fixture.files)
        try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: false)
        try fixture.overwrite("counter.json", with: "\(round)")
        try await peer.events.first("round \(round)", timeout: .seconds(60)) { $0.hasSuffix(" \(round)") }
        try await file.firstValue { $0 == round }
      }
    }

    @Test
    func `when no inotify instance is left, opening says so in words, and reading and writing need none`() async throws
    {
      let file = try fixture.counter("counter.json", 1)
      guard let peer = try await peer(instances: 0) else { return }
      let refusal = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("open-counter counter.json") }
      #expect("\(refusal as Any)".contains("max_user_instances"))
      // The durable primitives do without.
      try await peer.send("hold \(file.url.path)")
      let update = Task { try await file.update { $0 += 1 } }
      try await peer.send("release")
      try await update.value
    }
  }
#endif

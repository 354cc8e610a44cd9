#if os(Linux)
  import AppGroups
  import Foundation
  import Signals
  import TestSupport
  import Testing

  @Suite("Hazards of limits: exhausted watches and instances", .patient)
  struct LimitHazardTests {
    let fixture: Fixture

    init() throws {
      fixture = try Fixture()
    }

    /// Starts a peer in a user namespace with its own limits; `nil` where the system does not allow that.
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
    func `without a free watch, a shared file is polled and misses nothing`() async throws {
      let file = try fixture.counter("counter.json", 1)
      guard let peer = try await peer(watches: 1) else { return }
      try await expectToFollow(file, peer)
    }

    @Test
    func `without a free watch for a directory that reappears, its last value is still found`() async throws {
      let file = try fixture.counter("counter.json", 1)
      guard let peer = try await peer(watches: fixture.files.pathComponents.count + 1) else { return }
      try await peer.send("open-counter counter.json")
      try await peer.send("observe counter.json")
      for round in 2...6 {
        try FileManager.default.removeItem(at: fixture.files)
        try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: false)
        try fixture.overwrite("counter.json", with: "\(round)")
        try await peer.events.first("round \(round)", timeout: .seconds(240)) { $0.hasSuffix(" \(round)") }
        try await file.firstValue { $0 == round }
      }
    }

    @Test
    func `without a free inotify instance, a shared file is polled and misses nothing`() async throws {
      let file = try fixture.counter("counter.json", 1)
      guard let peer = try await peer(instances: 0) else { return }
      try await expectToFollow(file, peer)
      // The durable primitives need no watch.
      try await peer.send("hold \(file.url.path)")
      let update = Task { try await file.update { $0 += 1 } }
      try await peer.send("release")
      try await update.value
    }

    private func expectToFollow(_ file: AppGroupsFile<Int>, _ peer: PeerProcess) async throws {
      try await peer.send("open-counter counter.json")
      try await peer.send("observe counter.json")
      for value in 2...3 {
        try await file.write(value)
        try await peer.events.first("\(value) is seen") { $0.hasSuffix(" \(value)") }
      }
      try await peer.send("increment counter.json 1")
      try await file.firstValue { $0 == 4 }
    }
  }
#endif

#if !canImport(Darwin)
  import Containers
  import Foundation
  import TestSupport
  import Testing

  @Suite("Emptying the active environment")
  struct EmptyingTests {
    let world: SettingsWorld
    private var file: URL { URL(filePath: world.root, directoryHint: .isDirectory).appending(path: "file") }

    init() throws {
      world = try SettingsWorld()
    }

    /// A process whose default environment has a file, a value and cookies, and was never inactive.
    private func filledPeer() async throws -> PeerProcess {
      try Tree.write("text", to: file)
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("switching-cookies \(world.root) group")
      try await peer.send("defaults-set suite color red")
      try await peer.send("cookies-fill group mine 3")
      return peer
    }

    private func contents(_ peer: PeerProcess) async throws -> [String] {
      [
        Tree.text(file) ?? "nothing", try await peer.send("defaults-get suite color"),
        try await peer.send("cookies-count group mine"),
      ]
    }

    @Test func `a failure leaves everything as it was`() async throws {
      let peer = try await filledPeer()
      try await peer.send("switching-refuse")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-clean \(zero)") }
      #expect(try await contents(peer) == ["text", "red", "3"])
      // The next launch reads the same.
      try await peer.send("defaults-sync suite")
      try await peer.kill()
      let next = try world.peer()
      try await next.send("switching \(world.root) suite")
      try await next.send("switching-cookies \(world.root) group")
      #expect(try await contents(next) == ["text", "red", "3"])
      try await next.send("switching-clean \(zero)")
      #expect(try await contents(next) == ["nothing", "nothing", "0"])
    }

    @Test(arguments: ["flushed", "journalled", "synchronized", "loaded", "committed", "backedUp", "finished"])
    func `a process killed while emptying leaves everything or nothing`(step: String) async throws {
      let peer = try await filledPeer()
      try await peer.send("defaults-sync suite")
      try await peer.send("switching-crash \(step)")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-clean \(zero)") }
      let next = try world.peer()
      try await next.send("switching \(world.root) suite")
      try await next.send("switching-cookies \(world.root) group")
      let isDone = ["committed", "backedUp", "finished"].contains(step)
      #expect(try await contents(next) == (isDone ? ["nothing", "nothing", "0"] : ["text", "red", "3"]))
    }

    @Test(arguments: ["journalled", "loaded"])
    func `a process that undoes the emptying of a killed one keeps its own values`(step: String) async throws {
      let peer = try await filledPeer()
      let other = try world.peer()
      try await other.send("switching \(world.root) suite,own")
      try await other.send("defaults-set own color blue")
      try await peer.send("defaults-sync suite")
      try await peer.send("switching-crash \(step)")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-clean \(zero)") }
      try await other.send("switching-new Next")
      #expect(try await other.send("defaults-get own color") == "blue")
      try await other.send("defaults-sync suite")
      #expect(try await other.send("defaults-get suite color") == "red")
      #expect(Tree.text(file) == "text")
    }

    @Test func `another process continues without values, and restores none`() async throws {
      let peer = try await filledPeer()
      try await peer.send("defaults-sync suite")
      let other = try world.peer()
      try await other.send("switching \(world.root) suite")
      #expect(try await other.send("defaults-get suite color") == "red")
      try await peer.send("switching-clean \(zero)")
      // It learns of the change before its own next operation.
      try await other.send("switching-new Next")
      #expect(try await other.send("defaults-get suite color") == "nothing")
      try await other.send("defaults-sync suite")
      try await peer.send("defaults-sync suite")
      #expect(try await peer.send("defaults-get suite color") == "nothing")
    }
  }
#endif

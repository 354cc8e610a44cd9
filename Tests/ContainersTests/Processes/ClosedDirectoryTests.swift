#if !canImport(Darwin)
  import Containers
  import Foundation
  import TestSupport
  import Testing

  @Suite(
    "Directories without write permission", .timeLimit(.minutes(5)),
    .asRoot)
  struct ClosedDirectoryTests {
    private let fixture: Fixture

    init() throws {
      fixture = try Fixture(filled: false)
      try fixture.write("deep", to: "closed/inner/deep.txt")
      try fixture.write("file", to: "read-only/file.txt")
      chmod(fixture.url("closed/inner").path, 0o500)
      chmod(fixture.url("closed").path, 0)
      chmod(fixture.url("read-only").path, 0o555)
    }

    private var archive: String { fixture.directory.file("archive").path }

    /// Starts a process of an ordinary user that owns everything in the test's directory.
    private func user(in root: URL) async throws -> PeerProcess {
      let nobody = 65534
      try await shell(#"mkdir -p "$2"; chown -R \#(nobody) "$1""#, fixture.directory.url.path, root.path)
      let peer = try PeerProcess()
      try await peer.send("user \(nobody)")
      try await peer.send("env \(root.path)")
      return peer
    }

    @Test func `a switch moves them and keeps their permissions`() async throws {
      let listing = try fixture.live()
      #expect(listing["closed"] == "directory 0" && listing["read-only"] == "directory 555")
      let peer = try await user(in: fixture.root)
      let work = try await peer.send("env-new Work")
      try await peer.send("env-activate \(work)")
      #expect(try fixture.live().isEmpty)
      #expect(try Tree.listing(fixture.url(".containers/\(Environment.defaultID)/data")) == listing)
      try await peer.send("env-activate \(Environment.defaultID)")
      #expect(try fixture.live() == listing)
    }

    @Test func `an imported environment with such directories can be activated, deactivated and deleted`() async throws
    {
      let listing = try fixture.live()
      // Only root can read all of it.
      try await onThread {
        _ = try fixture.open().export(id: Environment.defaultID, to: URL(filePath: archive))
      }
      let root = fixture.directory.url.appending(path: "other")
      let peer = try await user(in: root)
      let copy = try await peer.send("env-import \(archive)")
      try await peer.send("env-activate \(copy)")
      #expect(try Tree.listing(root) == listing)
      try await peer.send("env-activate \(Environment.defaultID)")
      #expect(try Tree.listing(root).isEmpty)
      try await peer.send("env-delete \(copy)")
      #expect(try await peer.send("env-list") == Environment.defaultID.uuidString)
    }

    @Test func `a readable directory is cloned and exported, and its copies can be activated`() async throws {
      try await shell(#"chmod 700 "$1/closed"; rm -r "$1/closed""#, fixture.root.path)
      let listing = try fixture.live()
      let peer = try await user(in: fixture.root)
      let clone = try await peer.send("env-clone \(Environment.defaultID)")
      try await peer.send("env-export \(Environment.defaultID) \(archive)")
      for copy in [clone, try await peer.send("env-import \(archive)")] {
        try await peer.send("env-activate \(copy)")
        #expect(try fixture.live() == listing)
      }
    }

    @Test func `clone and export name an unreadable directory, and leave nothing behind`() async throws {
      let peer = try await user(in: fixture.root)
      for command in ["env-clone \(Environment.defaultID)", "env-export \(Environment.defaultID) \(archive)"] {
        let failure = await #expect(throws: PeerProcess.Failure.self) { try await peer.send(command) }
        #expect(failure.map { "\($0)" }?.contains(fixture.url("closed").path) == true)
      }
      #expect(try await peer.send("env-list") == Environment.defaultID.uuidString)
      #expect(!FileManager.default.fileExists(atPath: archive))
    }
  }
#endif

#if os(Linux)
  import Containers
  import Foundation
  import Signals
  import TestSupport
  import Testing

  /// Entries of which the system does not say whether they exist.
  @Suite("Hazards of unknown entries")
  struct UnknownEntryTests {
    private let fixture: Fixture

    init() throws {
      fixture = try Fixture(filled: false)
    }

    @Test(.enabled(if: PeerProcess.canBeTraced))
    func `a switch whose disk fails moves everything back instead of leaving a file behind`() async throws {
      try fixture.write("mine", to: "notes.txt")
      try fixture.write("mine", to: "other.txt")
      let new = try fixture.open().create(name: "new")
      let log = fixture.directory.file("calls")
      let failing = try await PeerProcess.failing("newfstatat", on: "notes.txt", with: "EIO", log: log)
      guard let peer = failing else { return }
      try await peer.send("env \(fixture.root.path)")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("env-activate \(new.id)") }
      try await peer.endTraced()
      let app = try fixture.open()
      #expect(app.active.value.id == Environment.defaultID)
      #expect(fixture.text("notes.txt") == "mine")
      #expect(fixture.text("other.txt") == "mine")
      try await app.activate(id: new.id)
      #expect(!fixture.exists("notes.txt"))
    }

    @Test(.asRoot)
    func `a switch does not take an excluded entry for missing that it may not examine`() async throws {
      let nobody = 65_534
      try fixture.write("shared", to: "Shared/keep.txt")
      let app = try AppContainer(home: fixture.root)
      try app.setExcludedPaths(["Shared/keep.txt"])
      let new = try app.create(name: "new")
      try await shell(
        #"chown -R \#(nobody) "$1"; chmod 755 "$1"; chmod 000 "$2"/Shared"#, fixture.directory.url.path,
        fixture.root.path)
      let peer = try PeerProcess()
      try await peer.send("user \(nobody)")
      try await peer.send("env \(fixture.root.path)")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("env-activate \(new.id)") }
      #expect(fixture.text("Shared/keep.txt") == "shared")
      try await shell(#"chmod 700 "$1"/Shared"#, fixture.root.path)
      try await peer.send("env-activate \(new.id)")
      #expect(fixture.text("Shared/keep.txt") == "shared", "it is excluded")
    }

    @Test(.asRoot)
    func `an environment that could never leave the root is not activated`() async throws {
      let nobody = 65_534
      let app = try AppContainer(home: fixture.root)
      try app.setExcludedPaths(["Shared/keep.txt"])
      let new = try app.create(name: "new")
      let folder = fixture.data(new).appending(path: "Shared")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await shell(
        #"chown -R \#(nobody) "$1"; chmod 755 "$1"; chmod 000 "$2""#, fixture.directory.url.path, folder.path)
      let peer = try PeerProcess()
      try await peer.send("user \(nobody)")
      try await peer.send("env \(fixture.root.path)")
      await #expect {
        try await peer.send("env-activate \(new.id)")
      } throws: { error in
        guard case .refused(_, let answer)? = error as? PeerProcess.Failure else { return false }
        return answer.contains("Shared/keep.txt")
      }
      #expect(try await peer.send("env-active") == Environment.defaultID.uuidString)
      try await shell(#"chmod 700 "$1""#, folder.path)
      try await peer.send("env-activate \(new.id)")
      try await peer.send("env-activate \(Environment.defaultID)")
    }
  }
#endif

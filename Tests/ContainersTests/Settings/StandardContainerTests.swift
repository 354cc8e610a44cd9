#if !canImport(Darwin)
  import Foundation
  import TestSupport
  import Testing

  @testable import Containers

  /// Runs in processes with a home of their own, because the directory is below the user's home.
  @Suite("The standard container", .patient)
  struct StandardContainerTests {
    let world: SettingsWorld
    let url = "https://example.com/"

    init() throws {
      world = try SettingsWorld()
    }

    @Test func `it is a directory with the name of the program among the user's data`() async throws {
      let peer = try world.peer()
      let home = world.directory.url.appending(path: "data/Peer", directoryHint: .isDirectory)
      #expect(try await peer.send("switching-standard all") == home.path)
      let work = try await peer.send("switching-new Work")
      try Data("draft".utf8).write(to: home.appending(path: "note.txt"))
      try await peer.send("switching-to \(work)")
      #expect(try !world.directory.names(in: "data/Peer").contains("note.txt"))
      // Another process of the program has the same one, with the same active environment.
      let other = try world.peer()
      #expect(try await other.send("switching-standard all") == home.path)
      try await other.send("switching-to \(zero)")
      #expect(try String(contentsOf: home.appending(path: "note.txt"), encoding: .utf8) == "draft")
    }

    @Test func `user defaults and cookies are switched with the files`() async throws {
      let peer = try world.peer()
      try await peer.send("defaults-set - color red")
      try await peer.send("cookies-take - \(url) sid=1; Path=/; Max-Age=3600")
      try await peer.send("switching-standard all")
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      #expect(try await peer.send("defaults-get - color") == "nothing")
      #expect(try await peer.send("cookies-list -") == "")
      try await peer.send("switching-to \(zero)")
      #expect(try await peer.send("defaults-get - color") == "red")
      #expect(try await peer.send("cookies-list -").contains("sid=1"))
    }

    @Test func `user defaults and cookies stay on request`() async throws {
      let peer = try world.peer()
      try await peer.send("defaults-set - color red")
      try await peer.send("cookies-take - \(url) sid=1; Path=/; Max-Age=3600")
      try await peer.send("switching-standard files")
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      #expect(try await peer.send("defaults-get - color") == "red")
      #expect(try await peer.send("cookies-list -").contains("sid=1"))
      // The choice counts for all later uses.
      try await peer.send("switching-standard all")
      try await peer.send("switching-to \(zero)")
      #expect(try await peer.send("defaults-get - color") == "red")
    }
  }
#endif

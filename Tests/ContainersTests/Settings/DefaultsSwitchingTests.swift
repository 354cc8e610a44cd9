#if !canImport(Darwin)
  import Foundation
  import TestSupport
  import Testing

  @testable import Containers

  /// Runs in processes with another configuration directory, which Foundation reads from the environment at its start.
  @Suite("Switching user defaults", .patient)
  struct DefaultsSwitchingTests {
    let world: SettingsWorld

    init() throws {
      world = try SettingsWorld()
    }

    @Test func `existing values belong to the default environment, and are hidden in others`() async throws {
      let peer = try world.peer()
      for suite in ["-", "org.example.app"] { try await peer.send("defaults-set \(suite) color red") }
      #expect(try await peer.send("switching \(world.root) -,org.example.app") == zero)
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      for suite in ["-", "org.example.app"] {
        #expect(try await peer.send("defaults-get \(suite) color") == "nothing")
        try await peer.send("defaults-set \(suite) color blue")
      }
      try await peer.send("switching-to \(zero)")
      for suite in ["-", "org.example.app"] { #expect(try await peer.send("defaults-get \(suite) color") == "red") }
      try await peer.send("switching-to \(work)")
      for suite in ["-", "org.example.app"] { #expect(try await peer.send("defaults-get \(suite) color") == "blue") }
    }

    @Test func `flags in switched defaults follow each switch as a part of it`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) org.example.app")
      try await peer.send("flags-open org.example.app")
      let work = try await peer.send("switching-new Work")
      try await peer.send("flags-set red")
      try await peer.send("switching-to \(work)")
      try await peer.send("flags-set blue")
      try await peer.send("switching-to \(zero)")
      #expect(try await peer.send("flags-values") == "nothing,red,nothing,blue,red")
    }

    @Test func `values keep their types, and keys with dots keep their names`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) my.plist.suite")
      try await peer.send("defaults-fill my.plist.suite")
      let types = try await peer.send("defaults-types my.plist.suite")
      #expect(types == "true 1 -9223372036854775808 1.0 0.1  [0, 255] 86400.0 3 1 true false dot")
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      #expect(try await peer.send("defaults-types my.plist.suite").contains("nothing nothing nothing nothing"))
      try await peer.send("switching-to \(zero)")
      #expect(try await peer.send("defaults-types my.plist.suite") == types)
    }

    @Test func `unsynchronized values are neither lost nor leaked (corelibs 4837)`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      let work = try await peer.send("switching-new Work")
      try await peer.send("defaults-set suite pending mine")
      try await peer.send("switching-to \(work)")
      try await peer.send("defaults-sync suite")
      #expect(try await peer.send("defaults-keys suite") == "org.signals.container")
      try await peer.kill()
      let next = try world.peer()
      #expect(try await next.send("switching \(world.root) suite") == work)
      #expect(try await next.send("defaults-get suite pending") == "nothing")
      try await next.send("switching-to \(zero)")
      #expect(try await next.send("defaults-get suite pending") == "mine")
    }

    @Test func `a process that missed a switch finds the owner of its values`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("defaults-set suite color red")
      try await peer.send("defaults-sync suite")
      try await peer.kill()
      // A process that does not switch defaults.
      let app = try AppContainer(home: URL(filePath: world.root, directoryHint: .isDirectory))
      let work = try app.create(name: "Work")
      try await onThread { try app.activate(work) }
      let next = try world.peer()
      #expect(try await next.send("switching \(world.root) suite") == work.id.uuidString)
      #expect(try await next.send("defaults-get suite color") == "nothing")
      try await next.send("switching-to \(zero)")
      #expect(try await next.send("defaults-get suite color") == "red")
    }

    @Test func `another process adopts the new values together with values set since`() async throws {
      let (first, second) = (try world.peer(), try world.peer())
      try await first.send("switching \(world.root) suite")
      try await second.send("switching \(world.root) suite")
      let work = try await first.send("switching-new Work")
      try await second.send("defaults-set suite pending stale")
      // It receives nothing until everything is done, because nothing prevents two processes from writing a suite at
      // the same time.
      second.signal(SIGSTOP)
      try await first.send("switching-to \(work)")
      try await first.send("defaults-set suite first new")
      try await first.send("defaults-sync suite")
      second.signal(SIGCONT)
      // It learns of the switch before its own next operation.
      _ = try await second.send("switching-new Other")
      try await second.send("defaults-sync suite")
      #expect(try await second.send("defaults-get suite first") == "new")
      #expect(try await second.send("defaults-get suite pending") == "nothing")
      try await first.send("defaults-sync suite")
      #expect(try await first.send("defaults-get suite pending") == "nothing")
      #expect(try await first.send("defaults-get suite first") == "new")
    }

    @Test func `clones copy values, and cleaned environments have none`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("defaults-set suite color red")
      let copy = try await peer.send("switching-copy \(zero)")
      try await peer.send("switching-to \(copy)")
      #expect(try await peer.send("defaults-get suite color") == "red")
      try await peer.send("switching-clean \(copy)")
      #expect(try await peer.send("defaults-get suite color") == "nothing")
      try await peer.send("switching-to \(zero)")
      #expect(try await peer.send("defaults-get suite color") == "red")
    }

    @Test func `the file with the preferences of an environment is private to its owner`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("switching-to \(peer.send("switching-new Work"))")
      var status = stat()
      #expect(stat(world.settings(zero, "user-defaults.plist").path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `damaged values keep the current environment active`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("defaults-set suite color red")
      let work = try await peer.send("switching-new Work")
      try Data("damaged".utf8).write(to: world.settings(work, "user-defaults.plist"))
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-to \(work)") }
      #expect(try await peer.send("defaults-get suite color") == "red")
      #expect(try await peer.send("switching \(world.root) suite") == zero)
    }

    @Test func `values that would make user defaults end the process are rejected`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("defaults-set suite color red")
      let work = try await peer.send("switching-new Work")
      for value in ["TEXT", ["TEXT"], ["key": "TEXT"]] as [Any] {
        let contents: [String: Any] = ["version": 1, "suites": ["suite suite": ["value": value]]]
        var data = try PropertyListSerialization.data(fromPropertyList: contents, format: .binary, options: 0)
        // An identifier of an archived object in place of the text, which no property list of values has.
        data.replaceSubrange(try #require(data.range(of: [0x54] + Data("TEXT".utf8))), with: [0x83, 0, 0, 0, 5])
        try data.write(to: world.settings(work, "user-defaults.plist"))
        let failure = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-to \(work)") }
        #expect(failure.map { "\($0)" }?.contains("user-defaults.plist") == true)
      }
      #expect(try await peer.send("defaults-get suite color") == "red")
    }

    @Test func `values of a suite that only one of two programs switches are kept`() async throws {
      let (first, second) = (try world.peer(), try world.peer())
      try await first.send("switching \(world.root) one")
      try await second.send("switching \(world.root) two")
      try await second.send("defaults-set two color red")
      let work = try await first.send("switching-new Work")
      try await first.send("switching-to \(work)")
      // It learns of the switch before its own next operation.
      try await second.send("switching-new Next")
      #expect(try await second.send("defaults-get two color") == "nothing")
      try await second.send("switching-to \(zero)")
      #expect(try await second.send("defaults-get two color") == "red")
    }

    @Test func `values that could not follow another process still belong to their environment`() async throws {
      let (first, second) = (try world.peer(), try world.peer())
      try await first.send("switching-cookies \(world.root) group")
      try await second.send("switching \(world.root) suite")
      try await second.send("defaults-set suite color red")
      let (work, other) = (try await first.send("switching-new Work"), try await first.send("switching-new Other"))
      try Data("damaged".utf8).write(to: world.settings(work, "user-defaults.plist"))
      try await first.send("switching-to \(work)")
      try await second.send("switching-to \(other)")
      #expect(Tree.text(world.settings(work, "user-defaults.plist")) == "damaged")
      #expect(try await second.send("defaults-get suite color") == "nothing")
      try await second.send("switching-to \(zero)")
      #expect(try await second.send("defaults-get suite color") == "red")
    }

    @Test func `values that cannot be stored keep the current environment active`() async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      let work = try await peer.send("switching-new Work")
      try FileManager.default.removeItem(at: world.config("suite"))
      try FileManager.default.createDirectory(at: world.config("suite"), withIntermediateDirectories: true)
      try await peer.send("defaults-set suite color red")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-to \(work)") }
      try FileManager.default.removeItem(at: world.config("suite"))
      try await peer.send("switching-to \(work)")
      #expect(try await peer.send("defaults-get suite color") == "nothing")
    }

    @Test(arguments: ["../../evil", "a/b", "", ".hidden", "NSGlobalDomain", "a\nb"])
    func `a name that would escape the directory is rejected`(name: String) throws {
      #expect(throws: AppContainerError.self) { try DefaultsSettings([.named(name)]) }
    }
  }
#endif

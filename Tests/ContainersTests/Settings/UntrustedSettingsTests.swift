#if !canImport(Darwin)
  import Foundation
  import TestSupport
  import Testing

  @testable import Containers

  /// Runs in processes with another configuration directory, as the other tests of switched settings do.
  @Suite("Untrusted settings", .patient)
  struct UntrustedSettingsTests {
    let world: SettingsWorld

    init() throws {
      world = try SettingsWorld()
    }

    /// Switches to an environment with given settings, which are refused, and checks that nothing else has changed.
    private func expectRefusal(of file: Data) async throws {
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("defaults-set suite color red")
      let work = try await peer.send("switching-new Work")
      let url = world.settings(work, "user-defaults.plist")
      try file.write(to: url)
      let failure = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-to \(work)") }
      #expect(failure.map { "\($0)" }?.contains("user-defaults.plist c") == true)
      #expect(try await peer.send("defaults-get suite color") == "red")
      #expect(try await peer.send("switching \(world.root) suite") == zero)
      #expect(try Data(contentsOf: url) == file)
      try FileManager.default.removeItem(at: url)
      try await peer.send("switching-to \(work)")
      try await peer.send("switching-to \(zero)")
      #expect(try await peer.send("defaults-get suite color") == "red")
    }

    @Test(arguments: HostileValue.allCases)
    func `defaults that no program writes are refused, and the environment stays`(value: HostileValue) async throws {
      try await expectRefusal(of: value.list(at: ["suites", "suite suite", "value"], beside: ["version": 1]))
    }

    @Test func `defaults in XML that are nested without end are refused, and the environment stays`() async throws {
      let (start, end) = (String(repeating: "<array>", count: 100_000), String(repeating: "</array>", count: 100_000))
      let list = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>version</key><integer>1</integer><key>suites</key><dict>
        <key>suite suite</key><dict><key>value</key>\(start)\(end)</dict></dict></dict></plist>
        """
      try await expectRefusal(of: Data(list.utf8))
    }

    @Test(arguments: ["user-defaults.plist", "cookies-shared.json"])
    func `a file that is larger than any settings is not read`(name: String) async throws {
      let peer = try world.peer()
      let kind = name.hasPrefix("cookies") ? "switching-cookies" : "switching"
      try await peer.send("\(kind) \(world.root) group")
      let work = try await peer.send("switching-new Work")
      let path = world.settings(work, name).path
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      #expect(truncate(path, (64 << 20) + 1) == 0)
      let failure = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("switching-to \(work)") }
      #expect(failure.map { "\($0)" }?.contains("exceed the limit") == true)
      #expect(try await peer.send("\(kind) \(world.root) group") == zero)
    }
  }
#endif

#if !canImport(Darwin)
  @testable import AppGroups
  import Foundation
  import TestSupport
  import Testing

  @Suite("The default location of a group")
  struct DefaultDirectoryTests {
    @Test
    func `the default location is in the user's data directory, which the environment sets`() {
      #expect(AppGroupsContainer.dataHome(["XDG_DATA_HOME": "/data", "HOME": "/home/me"])?.path == "/data")
      #expect(AppGroupsContainer.dataHome(["HOME": "/home/me"])?.path == "/home/me/.local/share")
    }

    /// Opens the group `group.test` in a process with only these variables, and returns its location.
    private func open(_ environment: [String]) async throws -> String {
      let peer = try PeerProcess(
        executable: URL(filePath: "/usr/bin/env"), arguments: ["-i"] + environment + [PeerProcess.builtExecutable.path])
      return try await peer.send("group group.test")
    }

    @Test
    func `a group is created in the user's data directory`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.url.path
      #expect(try await open(["HOME=\(path)"]) == "\(path)/.local/share/AppGroups/group.test")
      #expect(try await open(["HOME=/nowhere", "XDG_DATA_HOME=\(path)"]) == "\(path)/AppGroups/group.test")
      for place in [".local/share/AppGroups/group.test", "AppGroups/group.test"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.url.appending(path: place).path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
      }
    }

    @Test(arguments: [[], ["HOME="], ["HOME=here", "XDG_DATA_HOME=data"]])
    func `without a data directory, opening a group is an error that names the variable to set`(
      environment: [String]
    ) async throws {
      let failure = await #expect(throws: PeerProcess.Failure.self) { try await open(environment) }
      let expected = AppGroupsError.noGroup(
        "group.test",
        reason: "neither XDG_DATA_HOME nor HOME is an absolute path; set one, or pass a directory of your own")
      #expect(failure.map { "\($0)" }?.contains(expected.description) == true)
    }

    @Test
    func `relative paths in the environment are ignored, as the specification requires`() {
      let home = AppGroupsContainer.dataHome(["XDG_DATA_HOME": "data", "HOME": "/home/me"])
      #expect(home?.path == "/home/me/.local/share")
      #expect(AppGroupsContainer.dataHome(["XDG_DATA_HOME": "", "HOME": "me"]) == nil)
      #expect(AppGroupsContainer.dataHome([:]) == nil)
    }

    @Test
    func `a symbolic link in place of a group's directory is rejected`() throws {
      let directory = try TemporaryDirectory()
      let elsewhere = try TemporaryDirectory()
      try FileManager.default.createSymbolicLink(
        at: directory.url.appending(path: "group.test"), withDestinationURL: elsewhere.url)
      #expect(throws: AppGroupsError.self) { try GroupDirectory.make("group.test", in: directory.url) }
    }
  }
#endif

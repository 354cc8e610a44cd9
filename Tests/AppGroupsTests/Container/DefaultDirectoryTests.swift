#if !canImport(Darwin)
  @testable import AppGroups
  import Foundation
  import TestSupport
  import Testing

  @Suite("The default place of a group")
  struct DefaultDirectoryTests {
    @Test
    func `it is in the user's data, which the environment says`() {
      #expect(AppGroupsContainer.dataHome(["XDG_DATA_HOME": "/data", "HOME": "/home/me"])?.path == "/data")
      #expect(AppGroupsContainer.dataHome(["HOME": "/home/me"])?.path == "/home/me/.local/share")
    }

    @Test
    func `relative paths in the environment are ignored, as the specification says`() {
      #expect(AppGroupsContainer.dataHome(["XDG_DATA_HOME": "data", "HOME": "/home/me"])?.path == "/home/me/.local/share")
      #expect(AppGroupsContainer.dataHome(["XDG_DATA_HOME": "", "HOME": "me"]) == nil)
      #expect(AppGroupsContainer.dataHome([:]) == nil)
    }

    @Test
    func `a symbolic link in the place of a group's directory is refused`() throws {
      let directory = try TemporaryDirectory()
      let elsewhere = try TemporaryDirectory()
      try FileManager.default.createSymbolicLink(
        at: directory.url.appending(path: "group.test"), withDestinationURL: elsewhere.url)
      #expect(throws: AppGroupsError.self) { try GroupDirectory.make("group.test", in: directory.url) }
    }
  }
#endif

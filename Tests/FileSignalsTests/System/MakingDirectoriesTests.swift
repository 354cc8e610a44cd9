import CLibrary
import Foundation
import TestSupport
import Testing

@testable import FileSignals

@Suite("Making directories")
struct MakingDirectoriesTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test
  func `a directory has its permissions when it is made, and those above lose their mark`() {
    let outer = folder.file("outer").path
    #expect(mkdir(outer, 0o1700) == 0)
    #expect(makeDirectory(outer + "/inner", permissions: 0o750))
    #expect([mode(outer), mode(outer + "/inner")] == [0o700, 0o750])
  }

  @Test
  func `a directory that others may write keeps its sticky bit`() {
    let outer = folder.file("outer").path
    #expect(mkdir(outer, 0o700) == 0 && chmod(outer, 0o1777) == 0)
    #expect(makeDirectory(outer + "/inner"))
    #expect(!makeDirectory(outer) && errno == EEXIST)
    #expect(mode(outer) == 0o1777)
  }

  @Test(.asRoot) func `a directory is made in a root that has the mark`() async {
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      let root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      try #require(chmod(path, 0o1700) == 0 && chroot(path) == 0)
      #expect(makeDirectory("/inner"))
      // Otherwise the leak sanitizer could not examine the process at its end.
      #expect(fchdir(root) == 0 && chroot(".") == 0)
    }
  }
}

import CLibrary
import Foundation
import TestSupport
import Testing
@testable import FileSignals

/// The difference between a file that does not exist and one that cannot be examined.
@Suite struct `Absent and unknown files` {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try Data().write(to: folder.file("file"))
    #expect(symlink("loop", folder.file("loop").path) == 0)
  }

  /// The paths at which no file exists.
  private var absent: [String] { [folder.file("missing").path, folder.file("file").path + "/below"] }

  /// The paths that the system refuses to follow.
  private var unknown: [String] {
    [folder.file("loop").path + "/below", folder.url.path + "/" + String(repeating: "x", count: 256)]
  }

  @Test func `only a missing name, or one below a file, means that there is no file`() throws {
    for path in absent {
      #expect(try FileStatus(path: path) == nil)
      #expect(try FileStatus(path: path, followsLinks: false) == nil)
      #expect(try FileStamp(path: path) == nil)
      #expect(try canonicalPath(path) == nil)
      #expect(try DirectoryListing.names(in: URL(filePath: path)) == nil)
    }
    for path in unknown {
      #expect(throws: DurableFileError.self) { try FileStatus(path: path) }
      #expect(throws: DurableFileError.self) { try FileStatus(path: path, followsLinks: false) }
      #expect(throws: DurableFileError.self) { try FileStamp(path: path) }
      #expect(throws: DurableFileError.self) { try canonicalPath(path) }
      #expect(throws: DurableFileError.self) { try DirectoryListing.names(in: URL(filePath: path)) }
    }
  }

  @Test func `an error names the file, and the directory to which its path is relative`() throws {
    let url = folder.file("loop/below")
    #expect(throws: DurableFileError.linkLoop(url)) { try FileStatus(path: url.path) }
    let directory = open(folder.url.path, O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    #expect(throws: DurableFileError.linkLoop(url)) {
      try FileStatus(path: "loop/below", relativeTo: directory, of: url)
    }
  }

  @Test func `a lock whose path cannot be examined is neither lost nor held by another process`() throws {
    let url = folder.file("lock")
    guard let lock = try FileLock.acquired(at: url) else {
      Issue.record("The lock is held")
      return
    }
    let answers = [try lock.isFile(at: url.path), try lock.isFile(at: absent[0])]
    #expect(answers == [true, false])
    do throws(DurableFileError) {
      _ = try lock.isFile(at: unknown[0])
      Issue.record("An unknown file is another one")
    } catch {
      #expect(error == .linkLoop(url))
    }
  }

  @Test(.asRoot) func `a directory whose entries may not be examined is not taken for an empty one`() async {
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      try listHiddenEntries(path)
    }
  }
}

/// Lists a directory whose entries become inaccessible, in a separate process.
private func listHiddenEntries(_ path: String) throws {
  try #require(chown(path, 65_534, 65_534) == 0 && setegid(65_534) == 0 && seteuid(65_534) == 0)
  // Otherwise the leak sanitizer could not examine the process at its end.
  defer { #expect(seteuid(0) == 0) }
  let directory = try #require(OpenDirectory("", below: path))
  #expect(directory.entries { _, _ in true }?.count == 2)
  // The names may be read, but not the entries.
  chmod(path, 0o400)
  defer { chmod(path, 0o700) }
  #expect(directory.entries { _, _ in true } == nil)
}

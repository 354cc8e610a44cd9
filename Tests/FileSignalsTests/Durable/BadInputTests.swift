import FileSignals
import Foundation
import TestSupport
import Testing

/// Uses a file without permission, in a separate process.
///
/// The process becomes a user without rights or, if it cannot, takes all permissions from the file.
private func useWithoutPermission(_ path: String) throws {
  let url = URL(fileURLWithPath: path)
  defer { if getuid() == 0 { #expect(seteuid(0) == 0) } }
  if geteuid() == 0 {
    try #require(setegid(65_534) == 0 && seteuid(65_534) == 0)
    #expect(throws: DurableFileError.self) { try DurableFile.write(Data("lost".utf8), to: url) }
  } else {
    chmod(path, 0)
  }
  #expect(throws: DurableFileError.permissionDenied(url, operation: "read")) { try DurableFile.read(url) }
}

/// Runs in a separate process, because the limit is permanent.
private func writeBeyondLimit(_ path: String) throws {
  var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
  #if canImport(Glibc)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
  #else
    try #require(setrlimit(RLIMIT_FSIZE, &limit) == 0)
  #endif
  let url = URL(fileURLWithPath: path)
  #expect(throws: DurableFileError.fileTooLarge(url)) { try DurableFile.write(Data(count: 1001), to: url) }
}

@Suite struct `Descriptive errors for bad files` {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func failure(_ body: () throws -> Void) throws -> DurableFileError {
    let error = try #require(throws: DurableFileError.self) { try body() }
    // Each description has a path and a cause.
    #expect(error.description.count > 40)
    #expect(error.localizedDescription == error.description)
    return error
  }

  /// Expects reading, writing and locking to fail without hanging or leaving files.
  private func expectFailure(
    _ url: URL, reading: DurableFileError, writing: DurableFileError, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.names()
    #expect(try failure { _ = try DurableFile.read(url) } == reading, sourceLocation: sourceLocation)
    #expect(try failure { try DurableFile.write(Data("x".utf8), to: url) } == writing, sourceLocation: sourceLocation)
    #expect(try failure { try DurableFile.withLock(on: url) {} } == writing, sourceLocation: sourceLocation)
    #expect(try folder.names() == before, sourceLocation: sourceLocation)
  }

  #if os(Linux)
    @Test(.asRoot)
    func `a file of the maximum size`() async throws {
      try await withDisk("mount -t tmpfs tmpfs \"$1\"") { disk in
        let url = disk.appending(path: "value")
        try store("x", url)
        #expect(truncate(url.path, .max) == 0)
        #expect(try failure { _ = try DurableFile.read(url) } == .fileTooLarge(url))
        try store("y", url)
        #expect(try DurableFile.read(url) == Data("y".utf8))
      }
    }
  #endif

  @Test func `a missing directory`() throws {
    let directory = folder.file("missing")
    let url = directory.appending(path: "value")
    let error = DurableFileError.directoryNotFound(URL(fileURLWithPath: directory.path, isDirectory: true))
    try expectFailure(url, reading: .notFound(url), writing: error)
  }

  @Test func `a file in place of the directory`() throws {
    try Data().write(to: folder.file("plain"))
    let url = folder.file("plain/value")
    let error = DurableFileError.directoryNotFound(url.deletingLastPathComponent())
    try expectFailure(url, reading: error, writing: error)
  }

  @Test func `a directory`() throws {
    let url = try folder.makeFolder("directory")
    let error = DurableFileError.notARegularFile(url, kind: "a directory")
    try expectFailure(url, reading: error, writing: error)
    #expect(try folder.names(in: "directory").isEmpty)
  }

  @Test func `a named pipe, which would block the opening process`() throws {
    let url = folder.file("pipe")
    #expect(mkfifo(url.path, 0o600) == 0)
    let error = DurableFileError.notARegularFile(url, kind: "a named pipe")
    try expectFailure(url, reading: error, writing: error)
  }

  @Test func `a device`() throws {
    let url = URL(fileURLWithPath: "/dev/null")
    let error = DurableFileError.notARegularFile(url, kind: "a device")
    try expectFailure(url, reading: error, writing: error)
  }

  @Test(arguments: ["file": "a regular file", "pipe": "a named pipe", "link": "a symbolic link"])
  func `a wrong kind of entry in place of the lock folder is named in the error`(_ thing: String, _ kind: String) throws
  {
    let url = folder.file("value")
    try put(thing, at: folder.file(".shared"))
    let error = try failure { try DurableFile.write(Data("x".utf8), to: url) }
    #expect(error.description.contains("/.shared is \(kind), not a directory"))
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test(arguments: ["directory": "a directory", "pipe": "a named pipe", "link": "a symbolic link"])
  func `a wrong kind of entry in place of a lock is named in the error, not the file`(_ thing: String, _ kind: String)
    throws
  {
    let url = folder.file("value")
    _ = try folder.makeFolder(".shared")
    try put(thing, at: folder.file(".shared/value.lock"))
    let error = try failure { try DurableFile.write(Data("x".utf8), to: url) }
    #expect(error.description.contains("/.shared/value.lock is \(kind), not a regular file"))
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  private func put(_ thing: String, at url: URL) throws {
    switch thing {
    case "pipe": #expect(mkfifo(url.path, 0o600) == 0)
    case "file": try Data().write(to: url)
    case "directory": try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    default: try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "elsewhere")
    }
  }

  @Test func `a dangling symbolic link, and one to itself`() throws {
    try shell("ln -s nowhere dangling; ln -s loop loop", in: folder.url)
    let dangling = folder.file("dangling")
    try expectFailure(dangling, reading: .danglingLink(dangling), writing: .danglingLink(dangling))
    let loop = folder.file("loop")
    try expectFailure(loop, reading: .linkLoop(loop), writing: .linkLoop(loop))
  }

  @Test(arguments: [String(repeating: "n", count: 300), "..", ".", ".shared", String(repeating: "é", count: 126)])
  func `a name that is invalid for files`(_ name: String) throws {
    let url = URL(fileURLWithPath: "\(folder.url.path)/\(name)", isDirectory: false)
    for body in [{ _ = try DurableFile.read(url) }, { try DurableFile.write(Data(), to: url) }] as [() throws -> Void] {
      guard case .invalidPath(url, _) = try failure(body) else {
        Issue.record("\(name) was accepted as a name")
        return
      }
    }
    #expect(try folder.names().isEmpty)
  }

  @Test func `a name with a NUL character`() throws {
    try `a name that is invalid for files`("a\0b")
  }

  @Test func `the longest name that fits`() throws {
    let url = folder.file(String(repeating: "n", count: 250))
    try DurableFile.write(Data("x".utf8), to: url)
    #expect(try DurableFile.read(url) == Data("x".utf8))
  }

  @Test func `a URL that is not a file URL`() throws {
    let url = try #require(URL(string: "https://example.org/value"))
    let error = DurableFileError.invalidPath(url, reason: "it is not a file URL")
    try expectFailure(url, reading: error, writing: error)
  }

  @Test func `a folder of locks that is a link to elsewhere`() throws {
    try shell("mkdir elsewhere; ln -s elsewhere .shared", in: folder.url)
    _ = try failure { try DurableFile.write(Data("x".utf8), to: folder.file("value")) }
    #expect(try folder.names(in: "elsewhere").isEmpty)
  }

  @Test func `no permission`() async throws {
    let url = folder.file("value")
    try await DurableFile.write(Data("kept".utf8), to: url)
    try shell("chmod 755 .; chmod 600 value", in: folder.url)
    // The process becomes a user without rights. If it cannot, it already has no rights to root's files.
    await #expect(processExitsWith: .success) { [path = url.path as String] in try useWithoutPermission(path) }
    chmod(url.path, 0o600)
    #expect(try text(url) == "kept")
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }

  @Test func `a limit on file sizes, which would otherwise end the process`() async throws {
    let url = folder.file("value")
    try await DurableFile.write(Data("kept".utf8), to: url)
    await #expect(processExitsWith: .success) { [path = url.path as String] in try writeBeyondLimit(path) }
    #expect(try text(url) == "kept")
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }

  #if os(Linux)
    @Test(.asRoot)
    func `a full disk and a read-only disk`() async throws {
      try await withDisk(#"mount -t tmpfs -o size=64k tmpfs "$1""#) { disk in
        let url = disk.appending(path: "value")
        let old = String(repeating: "a", count: 20_000)
        try store(old, url)
        for durability in [Durability.process, .storage] {
          let error = try failure { try DurableFile.write(Data(count: 60_000), to: url, durability: durability) }
          #expect(error == .diskFull(url))
        }
        #expect(try DurableFile.read(url) == Data(old.utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path + "/.shared") == ["value.lock"])
        try store(String(repeating: "b", count: 20_000), url)
        try await remount(disk, readOnly: true)
        #expect(try DurableFile.read(url).count == 20_000)
        #expect(try failure { try DurableFile.write(Data(), to: url) } == .readOnlyFileSystem(url))
        #expect(try failure { try DurableFile.withLock(on: url) {} } == .readOnlyFileSystem(url))
      }
    }
  #endif

  @Test func `a write that fails keeps no space, even if a new process has inherited its temporary file`() throws {
    let url = folder.file("value")
    let file = try ExclusiveFile(locking: url)
    let write = try file.prepareInPieces()
    try Data(count: 50_000).withUnsafeBytes { try write.append($0) }
    let inherited = try FileHandle(forReadingFrom: folder.file(".shared/value.tmp"))
    #expect(try inherited.seekToEnd() == 50_000)
    write.discard()
    #expect(try inherited.seekToEnd() == 0)
    file.unlock()
    #expect(try folder.names(in: ".shared") == ["value.lock"])
  }
}

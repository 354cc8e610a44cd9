import Dispatch
import FileSignals
import Foundation
import TestSupport
import Testing

@Suite struct `Descriptive errors for bad paths to observe` {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func failure<Observer>(_ body: () throws -> Observer) throws -> FileObserverError {
    let error = try #require(throws: FileObserverError.self) { _ = try body() }
    #expect(error.description.count > 40)
    #expect(error.localizedDescription == error.description)
    return error
  }

  @Test func `a missing directory`() throws {
    let missing = folder.file("missing")
    #expect(try failure { try FileObserver(folder.file("missing/deep/value")) } == .notFound(missing))
    #expect(try failure { try DirectoryObserver(missing) } == .notFound(missing))
  }

  @Test func `a file in place of a directory`() throws {
    try Data().write(to: folder.file("plain"))
    let plain = folder.file("plain")
    #expect(try failure { try FileObserver(folder.file("plain/value")) } == .notADirectory(plain))
    #expect(try failure { try DirectoryObserver(plain) } == .notADirectory(plain))
  }

  @Test func `a directory in place of a file`() throws {
    try shell("mkdir inner; ln -s inner link", in: folder.url)
    for name in ["inner", "link"] {
      let url = folder.file(name)
      #expect(try failure { try FileObserver(url) } == .isADirectory(url))
    }
  }

  @Test func `a filter without a pattern stops with an explanation`() async {
    await #expect(processExitsWith: .failure) { _ = FileFilter.names() }
  }

  @Test func `a circle of links`() throws {
    try shell("ln -s b a; ln -s a b", in: folder.url)
    guard case .system(_, _, ELOOP) = try failure({ try FileObserver(folder.file("a")) }) else {
      Issue.record("A circle of links was not detected")
      return
    }
  }

  @Test func `a name that is invalid for files`() throws {
    for name in ["a\0b", String(repeating: "n", count: 300), "..", "."] {
      let url = URL(fileURLWithPath: "\(folder.url.path)/\(name)", isDirectory: false)
      guard case .invalidPath(url, _) = try failure({ try FileObserver(url) }) else {
        Issue.record("A name of \(name.count) characters was accepted")
        return
      }
    }
    let nul = URL(fileURLWithPath: "\(folder.url.path)/a\0b", isDirectory: true)
    guard case .invalidPath = try failure({ try DirectoryObserver(nul) }) else {
      Issue.record("A name with a NUL was accepted")
      return
    }
    let queue = DispatchQueue(label: "test")
    guard case .invalidPath = try failure({ try PathChanges(contentsOf: nul, queue: queue) }) else {
      Issue.record("A name with a NUL was accepted for the contents of a directory")
      return
    }
  }

  @Test func `no permission`() async {
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      try observeWithoutPermission(path)
    }
  }
}

/// Observes a file without permission, in a separate process.
///
/// The process becomes a user without rights or, if it cannot, takes all permissions from the directory.
private func observeWithoutPermission(_ path: String) throws {
  let url = URL(fileURLWithPath: path, isDirectory: true)
  chmod(path, 0)
  defer { chmod(path, 0o700) }
  if geteuid() == 0 { try #require(setegid(65_534) == 0 && seteuid(65_534) == 0) }
  let denied = URL(fileURLWithPath: path)
  for body in [{ _ = try DirectoryObserver(url) }, { _ = try FileObserver(url.appending(path: "value")) }]
    as [() throws -> Void]
  {
    let error = #expect(throws: FileObserverError.self) { try body() }
    guard case .permissionDenied(let at) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(at.path.hasPrefix(denied.path))
  }
  if getuid() == 0 { #expect(seteuid(0) == 0) }
}

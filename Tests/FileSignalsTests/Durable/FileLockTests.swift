import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite struct `A lock between processes` {
  let folder: TemporaryDirectory
  let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("lock")
    try Data().write(to: url)
  }

  private func open(_ opening: FileLock.Opening = .existing) throws -> FileLock {
    guard let lock = FileLock(url.path, opening, of: url) else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return lock
  }

  /// Tries to acquire the lock through a descriptor of its own, and releases it again.
  private func isFree(for mode: FileLock.Mode = .exclusive) throws -> Bool {
    try open().tryLock(mode)
  }

  /// Counts one holder more, and returns how many there are.
  private func enter(_ holders: MutableProperty<Int>) -> Int {
    holders.modify {
      $0 += 1
      return $0
    }
  }

  // MARK: Holding

  @Test func `excludes another lock of the same process until it is released`() throws {
    let lock = try open()
    let isLocked = try lock.tryLock()
    #expect(isLocked)
    #expect(try !isFree())
    #expect(try !isFree(for: .shared))
    lock.unlock()
    #expect(try isFree())
    try lock.lock()
    #expect(try !isFree())
  }

  @Test func `is released when it goes out of use`() throws {
    do {
      let lock = try open()
      try lock.lock()
      #expect(try !isFree())
    }
    #expect(try isFree())
  }

  @Test func `is shared by those who ask for that, and keeps out one who does not`() throws {
    // Reading is enough: no observer sees an event when the file is closed.
    let lock = try open(.reading)
    let isLocked = try lock.tryLock(.shared)
    #expect(isLocked)
    #expect(try isFree(for: .shared))
    #expect(try !isFree())
  }

  @Test func `lets one thread of many in at a time`() throws {
    let holders = MutableProperty(0)
    withThreads(6) { _ in
      for _ in 0..<100 {
        do {
          let lock = try open()
          try lock.lock()
          #expect(enter(holders) == 1)
          holders.modify { $0 -= 1 }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(holders.value == 0)
  }

  @Test func `never lets two in that are in place, though each removes the file`() throws {
    let holders = MutableProperty(0)
    withThreads(6) { _ in
      for _ in 0..<100 {
        do {
          let lock = try open(.createdIfMissing)
          try lock.lock()
          guard lock.isFile(at: url.path) else { continue }
          #expect(enter(holders) == 1)
          holders.modify { $0 -= 1 }
          try FileManager.default.removeItem(at: url)
        } catch {
          Issue.record(error)
        }
      }
    }
  }

  // MARK: Other processes

  @Test(.patient)
  func `is held by another process until that releases it`() async throws {
    let peer = try PeerProcess()
    #expect(try await peer.send("lock exclusive \(url.path)") == "true")
    #expect(try !isFree(for: .shared))
    try await peer.send("unlock")
    #expect(try isFree())
    #expect(try await peer.send("lock shared \(url.path)") == "true")
    #expect(try isFree(for: .shared))
    #expect(try !isFree())
    try await peer.kill()
    #expect(try isFree())
  }

  @Test(.patient)
  func `keeps another process out, and is waited for until that one is killed`() async throws {
    let peer = try PeerProcess()
    let refusal = try await hold { try await peer.send("lock exclusive \(url.path)") }
    #expect(refusal == "false")
    #expect(try await peer.send("lock exclusive \(url.path)") == "true")
    // A stopped process keeps its lock, and a killed one does not.
    peer.signal(SIGSTOP)
    #expect(try !isFree())
    async let waiting: Void = onThread { [url] in
      guard let lock = FileLock(url.path, .existing, of: url) else { throw POSIXError(.EIO) }
      try lock.lock()
    }
    try await peer.kill()
    try await waiting
  }

  /// Returns what a closure returns while this process holds the lock.
  private func hold(during body: () async throws -> String) async throws -> String {
    let lock = try open()
    let isLocked = try lock.tryLock()
    #expect(isLocked)
    let answer = try await body()
    lock.unlock()
    return answer
  }

  // MARK: Files

  @Test func `knows whether the path still names its file`() throws {
    let lock = try open()
    var answers = [lock.isFile(at: url.path)]
    let moved = folder.file("moved")
    try FileManager.default.moveItem(at: url, to: moved)
    answers += [lock.isFile(at: moved.path), lock.isFile(at: url.path)]
    try Data().write(to: url)
    answers += [lock.isFile(at: url.path)]
    try FileManager.default.removeItem(at: url)
    try FileManager.default.createSymbolicLink(at: url, withDestinationURL: moved)
    answers += [lock.isFile(at: url.path)]
    #expect(answers == [true, true, false, false, false])
  }

  /// Opens a file, and returns the error number if that fails.
  private func failure(_ opening: FileLock.Opening, _ url: URL) -> CInt? {
    if FileLock(url.path, opening, of: url) != nil { nil } else { errno }
  }

  @Test func `opens an existing file, makes a missing one, or insists on a new one`() throws {
    #expect(failure(.new, url) == EEXIST)
    let made = folder.file("made")
    for opening in [FileLock.Opening.reading, .existing] { #expect(failure(opening, made) == ENOENT) }
    #expect(failure(.createdIfMissing, made) == nil)
    #expect(try permissions(of: made) == 0o600)
    #expect(failure(.new, folder.file("new")) == nil)
  }

  @Test func `follows no link and waits at no pipe`() throws {
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    for opening in [FileLock.Opening.reading, .existing, .createdIfMissing] {
      #expect(failure(opening, link) == ELOOP)
    }
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(failure(.reading, pipe) == nil)
  }
}

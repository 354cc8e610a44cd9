import Foundation
import Signals
import TestSupport
import Testing

@testable import FileSignals

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

  /// Tries to acquire the lock through another descriptor, and releases it again.
  private func isFree(for mode: FileLock.Mode = .exclusive) throws -> Bool {
    try open().tryLock(mode)
  }

  /// Adds a holder and returns the number of holders.
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

  @Test func `is released with its last reference`() throws {
    do {
      let lock = try open()
      try lock.lock()
      #expect(try !isFree())
    }
    #expect(try isFree())
  }

  @Test func `can be shared, and then excludes exclusive locks`() throws {
    // Opening for reading is enough, and closing it causes no event.
    let lock = try open(.reading)
    let isLocked = try lock.tryLock(.shared)
    #expect(isLocked)
    #expect(try isFree(for: .shared))
    #expect(try !isFree())
  }

  @Test func `admits one of many threads at a time`() throws {
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

  @Test func `admits one thread at a time even if each removes the lock file`() throws {
    let holders = MutableProperty(0)
    withThreads(6) { _ in
      for _ in 0..<100 {
        do {
          let lock = try open(.createdIfMissing)
          try lock.lock()
          guard try lock.isFile(at: url.path) else { continue }
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
  func `is unavailable until another process releases it`() async throws {
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
  func `excludes another process, and becomes available when its holder is killed`() async throws {
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

  /// Runs a closure while this process holds the lock, and returns its result.
  private func hold(during body: () async throws -> String) async throws -> String {
    let lock = try open()
    let isLocked = try lock.tryLock()
    #expect(isLocked)
    let answer = try await body()
    lock.unlock()
    return answer
  }

  // MARK: Files

  @Test func `detects whether the path still names its file`() throws {
    let lock = try open()
    var answers = [try lock.isFile(at: url.path)]
    let moved = folder.file("moved")
    try FileManager.default.moveItem(at: url, to: moved)
    answers += [try lock.isFile(at: moved.path), try lock.isFile(at: url.path)]
    try Data().write(to: url)
    answers += [try lock.isFile(at: url.path)]
    try FileManager.default.removeItem(at: url)
    try FileManager.default.createSymbolicLink(at: url, withDestinationURL: moved)
    answers += [try lock.isFile(at: url.path)]
    #expect(answers == [true, true, false, false, false])
  }

  /// Opens a file and returns the error number, or `nil` on success.
  private func failure(_ opening: FileLock.Opening, _ url: URL) -> CInt? {
    if FileLock(url.path, opening, of: url) != nil { nil } else { errno }
  }

  @Test func `opens an existing file, creates a missing one, or insists on a new one`() throws {
    #expect(failure(.new, url) == EEXIST)
    let made = folder.file("made")
    for opening in [FileLock.Opening.reading, .existing] { #expect(failure(opening, made) == ENOENT) }
    #expect(failure(.createdIfMissing, made) == nil)
    #expect(try permissions(of: made) == 0o600)
    #expect(failure(.new, folder.file("new")) == nil)
  }

  @Test func `follows no link and does not block on a pipe`() throws {
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    for opening in [FileLock.Opening.reading, .existing, .createdIfMissing] {
      #expect(failure(opening, link) == ELOOP)
    }
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(failure(.reading, pipe) == nil)
  }

  #if os(Linux)
    @Test func `names its holder while hundreds of other locks come and go`() async throws {
      let lock = try open()
      let isLocked = try lock.tryLock()
      #expect(isLocked)
      let others = (0..<200).map { creat(folder.file("other \($0)").path, 0o600) }
      defer { for other in others { close(other) } }
      let isOver = Guarded(false)
      let changes = Task {
        try await onThread {
          while !isOver.withLock({ $0 }) {
            for other in others { flock(other, LOCK_EX) }
            for other in others { flock(other, LOCK_UN) }
          }
        }
      }
      let holders = try await onThread { (0..<300).map { _ in lock.holder?.processIdentifier } }
      isOver.withLock { $0 = true }
      try await changes.value
      #expect(holders.allSatisfy { $0 == getpid() }, "\(holders.count { $0 == nil }) times unknown")
    }
  #endif
}

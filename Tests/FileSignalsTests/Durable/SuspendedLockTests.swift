import CLibrary
import Foundation
import Signals
import TestSupport
import Testing

@testable import FileSignals

@Suite("Locks of threads that a suspension meets at any moment", .patient)
struct SuspendedLockTests {
  let folder: TemporaryDirectory
  let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("state.json")
    try Data().write(to: url)
  }

  /// Suspends the directory again and again while threads repeat an attempt, and checks a lock each time.
  private func suspend(_ path: String, while attempt: @escaping @Sendable () throws -> Void) async throws {
    let isOver = Guarded(false)
    let running = MutableProperty(0)
    let repeated = { @Sendable in
      running.modify { $0 += 1 }
      while !isOver.withLock({ $0 }) {
        do {
          try attempt()
        } catch DurableFileError.suspended {
          sched_yield()
        }
      }
    }
    // The first attempt creates the lock.
    try attempt()
    let attempts = (0..<4).map { _ in Task { try await onThread(repeated) } }
    _ = await running.values.first { $0 == 4 }
    let directory = folder.url
    let held = try await onThread { [url] in
      defer { isOver.withLock { $0 = true } }
      var held = 0
      for round in 0..<Scale.count(1_000, torture: 50_000) {
        if round % 5_000 == 0 { Scale.progress("\(round) suspensions") }
        try Suspensions.shared.suspend(directory, within: .seconds(60))
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC)) else {
          throw DurableFileError(errno, "open", url)
        }
        if flock(file.number, LOCK_EX | LOCK_NB) != 0 { held += 1 }
        // Otherwise, a child that another test has just forked would keep the lock until it begins its program.
        _ = flock(file.number, LOCK_UN)
        try Suspensions.shared.resume(directory, within: .seconds(60))
      }
      return held
    }
    #expect(held == 0)
    for attempt in attempts { try await attempt.value }
  }

  @Test func `are free if threads only try to acquire them`() async throws {
    try await suspend(url.path) { [url] in
      guard let lock = FileLock(url.path, .reading, of: url) else { throw DurableFileError(errno, "open", url) }
      if try lock.tryLock(.shared) { lock.unlock() }
    }
  }

  @Test func `are free if threads wait for each other`() async throws {
    try await suspend(url.path) { [url] in
      guard let lock = FileLock(url.path, .existing, of: url) else { throw DurableFileError(errno, "open", url) }
      try lock.lock()
    }
  }

  @Test func `are free if threads update a file`() async throws {
    let lock = url.deletingLastPathComponent().appending(path: ".shared/\(url.lastPathComponent).lock")
    try await suspend(lock.path) { [url] in
      let file = try ExclusiveFile(locking: url)
      file.unlock()
    }
  }
}

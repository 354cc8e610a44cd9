import Foundation
import Signals

@testable import Contexts

/// An archive in memory, which fails when it is told to; two engines that have it are two processes.
final class MemoryArchive: SessionArchive {
  struct Full: Error {}

  let path = "memory"
  private let lock = Lock()
  private nonisolated(unsafe) var contents = ArchiveContents()  // Sound: guarded by the lock, like the next one.
  private nonisolated(unsafe) var isFull = false

  var fails: Bool {
    get { lock.withLock { isFull } }
    set { lock.withLock { isFull = newValue } }
  }

  func read() -> ArchiveContents {
    lock.withLock { contents }
  }

  func write(_ contents: ArchiveContents) throws {
    try lock.withLock {
      if isFull { throw Full() }
      self.contents = contents
    }
  }
}

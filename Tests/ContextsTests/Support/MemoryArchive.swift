import Foundation
import Signals

@testable import Contexts

/// An archive in memory that can be made to fail.
///
/// Two engines that share it act as two processes.
final class MemoryArchive: SessionArchive {
  struct Full: Error {}
  struct Unreadable: Error {}

  let path = "memory"
  private let lock = Lock()
  private nonisolated(unsafe) var contents = ArchiveContents()  // Sound: guarded by the lock, like the next ones.
  private nonisolated(unsafe) var isFull = false
  private nonisolated(unsafe) var isUnreadable = false

  var fails: Bool {
    get { lock.withLock { isFull } }
    set { lock.withLock { isFull = newValue } }
  }

  /// A Boolean value that indicates whether reads fail.
  var failsToRead: Bool {
    get { lock.withLock { isUnreadable } }
    set { lock.withLock { isUnreadable = newValue } }
  }

  var archived: ArchiveContents { lock.withLock { contents } }

  func read() throws -> ArchiveContents {
    try lock.withLock {
      if isUnreadable { throw Unreadable() }
      return contents
    }
  }

  func isLasting(_ error: any Error) -> Bool { false }

  func write(_ contents: ArchiveContents) throws {
    try lock.withLock {
      if isFull { throw Full() }
      self.contents = contents
    }
  }
}

import CLibrary
import Dispatch
import FileSignals
import Foundation
import Signals

/// A lock that a process holds while it renews the session of a user, across suspension points.
///
/// Locks belong to threads, and a task has no thread of its own. A blocking call on a separate thread therefore waits
/// for the lock and keeps it. The kernel releases the lock when the process dies.
final class RenewalLock: Sendable {
  /// The result of waiting for the lock.
  enum Attempt: Sendable {
    case held(RenewalLock)
    /// Another process, or another context of this process, still holds the lock.
    case busy(FileDescriptors)
  }

  private let descriptors: FileDescriptors
  private let end: DispatchSemaphore

  private init(_ descriptors: FileDescriptors, _ end: DispatchSemaphore) {
    self.descriptors = descriptors
    self.end = end
  }

  deinit {
    release()
  }

  /// A Boolean value that indicates whether no other process has taken over the lock.
  ///
  /// It is reliable only under the lock of the archive, because locks are taken over under that lock.
  var isCurrent: Bool { get throws(DurableFileError) { try descriptors.isCurrent } }

  /// Waits a limited time for the lock, without blocking a thread of the concurrency pool.
  static func acquire(on url: URL, within limit: Duration) async throws -> Attempt {
    // Each lock has a queue of its own, because it occupies the thread for as long as it is held.
    try await BlockingCalls(width: 1).hold { answer in
      do throws(DurableFileError) {
        switch try lock(url, within: limit) {
        case .busy(let descriptors): answer(.success(.busy(descriptors)))
        case .locked(let file):
          hold(file, url, answer)
        }
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// Waits for the lock, and creates the directory of the locks before the first renewal.
  private static func lock(_ url: URL, within limit: Duration) throws(DurableFileError) -> ExclusiveFile.Attempt {
    do throws(DurableFileError) {
      return try ExclusiveFile.lock(url, within: limit)
    } catch {
      guard case .directoryNotFound = error else { throw error }
      // A suspended process must leave the root as it is.
      guard DirectoryRules.phase(for: url) == .open else { throw .suspended(url) }
      let directory = url.deletingLastPathComponent()
      guard mkdir(directory.path, 0o700) == 0 || errno == EEXIST else {
        throw errno == ENOENT ? error : DurableFileError(errno, "create", directory)
      }
      return try ExclusiveFile.lock(url, within: limit)
    }
  }

  private static func hold(_ file: ExclusiveFile, _ url: URL, _ answer: (Result<Attempt, any Error>) -> Void) {
    let renewal = RenewalInProgress()
    let membership = Suspensions.shared.add(renewal, at: url)
    defer {
      file.unlock()
      renewal.end()
      membership.cancel()
    }
    // A suspension that begins later waits for the renewal.
    guard DirectoryRules.phase(for: url) == .open else { return answer(.failure(DurableFileError.suspended(url))) }
    let end = DispatchSemaphore(value: 0)
    answer(.success(.held(RenewalLock(file.descriptors, end))))
    end.wait()
  }

  /// Releases the lock, so that other processes can acquire it.
  func release() {
    end.signal()
  }
}

/// A renewal that a suspension waits for, until its result is archived and the lock is released.
private final class RenewalInProgress: Suspendable {
  private let isOver = DispatchSemaphore(value: 0)

  func end() { isOver.signal() }

  func endWorkForSuspension() {
    // Each waiting thread wakes the next one.
    isOver.wait()
    isOver.signal()
  }

  func resumeAfterSuspension() {}
}

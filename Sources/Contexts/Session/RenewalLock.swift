import Dispatch
import FileSignals
import Foundation

/// The lock that a process holds while it renews a session, across suspensions.
///
/// Locks belong to threads, and a task has none of its own. A call on a thread of its own therefore waits for the lock
/// and keeps it. The system releases it when the process dies.
final class RenewalLock: Sendable {
  /// The result of waiting for the lock.
  enum Attempt: Sendable {
    case held(RenewalLock)
    /// Another process, or another context of this one, still holds the lock of this place.
    case busy(FilePlace)
  }

  private let place: FilePlace
  private let end: DispatchSemaphore

  private init(_ place: FilePlace, _ end: DispatchSemaphore) {
    self.place = place
    self.end = end
  }

  deinit {
    release()
  }

  /// A Boolean value that indicates whether no other process has taken the lock over.
  ///
  /// It means something under the lock of the archive, under which locks are taken over.
  var isCurrent: Bool { place.isCurrent }

  /// Waits for the lock for a limited time, without blocking a thread that tasks run on.
  static func acquire(on url: URL, within limit: Duration) async throws -> Attempt {
    // Each lock has a queue of its own, because it keeps the thread for as long as it is held.
    try await BlockingCalls(width: 1).hold { answer in
      do throws(DurableFileError) {
        switch try ExclusiveFile.lock(url, within: limit) {
        case .busy(let place): answer(.success(.busy(place)))
        case .locked(let file):
          let end = DispatchSemaphore(value: 0)
          answer(.success(.held(RenewalLock(file.place, end))))
          end.wait()
          file.unlock()
        }
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// Lets other processes have the lock.
  func release() {
    end.signal()
  }
}

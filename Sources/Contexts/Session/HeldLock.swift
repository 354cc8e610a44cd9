import Dispatch
import FileSignals
import Foundation

/// A file's lock that is held across suspensions.
///
/// Locks belong to threads, and a task has none of its own, so a thread waits for the lock and keeps it: that of a
/// queue of its own. The system releases it when the process dies.
final class HeldLock: Sendable {
  private let end: DispatchSemaphore

  /// Waits for the lock, without blocking a thread that tasks run on.
  init(on url: URL) async throws {
    let end = DispatchSemaphore(value: 0)
    self.end = end
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue(label: "org.signals.renewal", qos: .userInitiated).async {
        do {
          try DurableFile.withLock(on: url) {
            continuation.resume()
            end.wait()
          }
        } catch {
          // Locking has failed: nothing inside throws.
          continuation.resume(throwing: error)
        }
      }
    }
  }

  deinit {
    release()
  }

  /// Lets others have the file.
  func release() {
    end.signal()
  }
}

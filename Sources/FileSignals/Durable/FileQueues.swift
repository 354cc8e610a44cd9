import Dispatch
package import Foundation
import Signals
import Synchronization

/// The queues on which tasks wait for files: one for each file in use, so that however many tasks wait for one file,
/// one thread does.
package final class FileQueues: @unchecked Sendable {  // Sound: `entries` is guarded by `lock`.
  package static let shared = FileQueues()

  private let lock = Lock()
  private var entries: [String: (queue: DispatchQueue, users: Int)] = [:]

  /// Runs a closure that may block on the file's queue.
  package func run<Result: Sendable>(
    for url: URL, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let path = url.path
    let queue = enter(path)
    defer { leave(path) }
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          // It may have waited long.
          if cancellation.hasCome.load(ordering: .relaxed) { return continuation.resume(throwing: CancellationError()) }
          continuation.resume(with: Swift.Result(catching: body))
        }
      }
    } onCancel: {
      cancellation.hasCome.store(true, ordering: .relaxed)
    }
  }

  private func enter(_ path: String) -> DispatchQueue {
    lock.withLock {
      var entry = entries[path] ?? (DispatchQueue(label: "org.signals.file", qos: .userInitiated), 0)
      entry.users += 1
      entries[path] = entry
      return entry.queue
    }
  }

  private func leave(_ path: String) {
    lock.withLock {
      entries[path]?.users -= 1
      if entries[path]?.users == 0 { entries[path] = nil }
    }
  }

  private final class Cancellation: Sendable {
    let hasCome = Atomic(false)
  }
}

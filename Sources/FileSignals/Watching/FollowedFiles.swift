import Dispatch
import Foundation
import Signals

#if canImport(Darwin)
  /// Files that are watched one by one, because the system tells a directory's observers of its entries only.
  final class FollowedFiles: @unchecked Sendable {  // Sound: what changes belongs to the queue.
    private let directory: URL
    private let queue: DispatchQueue
    private let onWrite: @Sendable (String) -> Void
    private var watches: [String: SignalSubscription] = [:]

    init(in directory: URL, queue: DispatchQueue, onWrite: @escaping @Sendable (String) -> Void) {
      self.directory = directory
      self.queue = queue
      self.onWrite = onWrite
    }

    /// Watches these files and no others, and returns those that it did not watch before.
    func follow(_ names: Set<String>) -> Set<String> {
      watches = watches.filter { names.contains($0.key) }
      let new = names.subtracting(watches.keys)
      for name in new {
        do {
          let file = directory.appending(path: name, directoryHint: .notDirectory)
          watches[name] = try PathChanges(file: file, queue: queue).sink { [onWrite] _ in onWrite(name) }
        } catch {
          // The directory is watched all the same; who has as many files open as it may have learns of writes later.
        }
      }
      return new
    }
  }
#else
  /// Files that need no watch of their own, because the directory's tells of each write.
  struct FollowedFiles: Sendable {
    init(in directory: URL, queue: DispatchQueue, onWrite: @escaping @Sendable (String) -> Void) {}

    func follow(_ names: Set<String>) -> Set<String> { [] }
  }
#endif

import Dispatch
import Foundation
import Signals

#if canImport(Darwin)
  /// Files that are watched one by one, because the system tells a directory's observers of its entries only.
  final class FollowedFiles: Sendable {
    private let directory: URL
    private let queue: DispatchQueue
    private let onWrite: @Sendable (String) -> Void
    private let watches = Guarded<[String: SignalSubscription]>([:])

    init(in directory: URL, queue: DispatchQueue, onWrite: @escaping @Sendable (String) -> Void) {
      self.directory = directory
      self.queue = queue
      self.onWrite = onWrite
    }

    /// Watches these files and no others, and returns those that it did not watch before.
    func follow(_ names: Set<String>) -> Set<String> {
      // The old ones end with no lock held.
      var new = names
      watches.replace { watches in
        let old = watches.filter { !names.contains($0.key) }
        for name in old.keys { watches[name] = nil }
        new.subtract(watches.keys)
        return old
      }
      for name in new {
        do {
          let file = directory.appending(path: name, directoryHint: .notDirectory)
          let watch = try PathChanges(file: file, queue: queue).sink { [onWrite] _ in onWrite(name) }
          watches.withLock { $0[name] = watch }
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

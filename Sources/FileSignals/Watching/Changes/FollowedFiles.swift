import Dispatch
import Foundation
import Signals

/// Files that are watched individually, because the system reports only changes of entries for a directory.
final class FollowedFiles: Sendable {
  private let directory: URL
  private let queue: DispatchQueue
  private let source: WatchSource
  private let changes: Emitter<PathChange, Never>
  private let watches = Guarded<[String: SignalSubscription]>([:])

  /// Creates an object that follows no files yet.
  ///
  /// - Parameters:
  ///   - directory: The directory of the files.
  ///   - source: The system's mechanism.
  ///   - queue: The queue for changes.
  ///   - changes: Receives the name of each file that is written.
  init(in directory: URL, from source: WatchSource, queue: DispatchQueue, sendingTo changes: Emitter<PathChange, Never>)
  {
    self.directory = directory
    self.source = source
    self.queue = queue
    self.changes = changes
  }

  /// Watches exactly these files, and returns those not watched before.
  func follow(_ names: Set<String>) -> Set<String> {
    // The old watches end with no lock held.
    var new = names
    watches.replace { watches in
      let old = watches.filter { !names.contains($0.key) }
      for name in old.keys { watches[name] = nil }
      new.subtract(watches.keys)
      return old
    }
    for name in new {
      // The directory is still watched. A process that has reached its limit of open files detects writes later.
      tolerating {
        let file = directory.appending(path: name, directoryHint: .notDirectory)
        let watch = try PathChanges(file: file, queue: queue, source: source).sink { [changes] _ in
          changes.send(PathChange(written: name))
        }
        watches.withLock { $0[name] = watch }
      }
    }
    return new
  }
}

package import Dispatch
package import Foundation
package import Signals

/// Calls a closure whenever something is written into a file of a directory, while the writer still has it open.
///
/// For files that are appended to, and read piece by piece. It watches from the moment `init` returns, so look at the
/// files only then.
package final class ContentsWatch: Sendable {
  /// What has happened since the closure was last called.
  package struct Changes: Sendable {
    /// The files that were only written into.
    package var written: [String] = []
    /// Whether files may have come or gone, events were lost, or nobody tells of them: look at everything.
    package var isStructural = false
  }

  private let watch: PathWatch
  private let followed: FollowedFiles

  /// Begins to watch a directory, which must exist.
  ///
  /// - Parameters:
  ///   - url: The directory.
  ///   - polling: Whether to have the directory looked at from time to time.
  ///   - queue: Where to call; calls are serial even if the queue is not.
  ///   - onChange: Called once for all that has happened since it was called last, from ``start()`` on.
  /// - Throws: ``FileObserverError`` if the directory cannot be watched now.
  package init(
    _ url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue,
    onChange: @escaping @Sendable (Changes) -> Void
  ) throws(FileObserverError) {
    let path = try DirectoryObserver.path(of: url)
    watch = try PathWatch(path: path, target: .contents, polling: polling, queue: queue) { _, batch in
      onChange(Self.changes(in: batch))
    }
    followed = FollowedFiles(in: url, queue: queue) { onChange(Changes(written: [$0])) }
  }

  /// Says which files are going to be written into, for systems that have to be told; call it on the queue.
  ///
  /// - Parameter names: The files; those named before and not now are of no interest any more.
  /// - Returns: The files to look at, because something may have been written before they were watched.
  package func follow(_ names: Set<String>) -> Set<String> {
    followed.follow(names)
  }

  /// Begins to call; what has happened since `init` is told at once.
  package func start() {
    watch.start()
  }

  /// Whether changes are seen.
  package var health: Property<WatchHealth> { watch.health }

  private static func changes(in batch: PathWatch.Batch) -> Changes {
    var changes = Changes()
    changes.isStructural = batch.isRearmed || batch.isOverflow || batch.isPoll
    for event in batch.events {
      guard event.point.place.isTarget, let name = event.name,
        event.kinds.isDisjoint(with: [.created, .movedIn, .removed, .movedOut, .changed])
      else {
        changes.isStructural = true
        continue
      }
      // Appending once or a hundred times comes to the same.
      if changes.written.last != name, !changes.written.contains(name) { changes.written.append(name) }
    }
    return changes
  }
}

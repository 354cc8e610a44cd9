package import Dispatch
package import Foundation
package import Signals

/// Calls a closure whenever a file may have changed, for whoever reads the file anyway and needs no more.
///
/// It watches from the moment `init` returns, so read the file only then: a change before is read, one after calls.
package final class FileWatch: Sendable {
  private let watch: PathWatch

  /// Begins to watch a file, which need not exist; its directory must.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - polling: Whether to call from time to time, too, in case the system does not tell of a change.
  ///   - queue: Where to call; calls are serial even if the queue is not. By default a queue of the watch's own.
  ///   - onChange: Called once for all that has happened since it was called last; a call that waits for the queue when
  ///     the watch is released still comes.
  /// - Throws: ``FileObserverError`` if the directory cannot be watched now.
  package init(
    _ url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue? = nil,
    onChange: @escaping @Sendable () -> Void
  ) throws(FileObserverError) {
    watch = try PathWatch(
      path: FileObserver.path(of: url), target: .file, polling: polling, queue: queue
    ) { _, _ in onChange() }
    watch.start()
  }

  /// Puts calls off until ``resume(unless:)``, for who changes the file and knows it; the two are called in pairs.
  package func pause() {
    watch.pause()
  }

  /// Has what happened meanwhile looked at, unless nothing happened but that the file was replaced, and what is in its
  /// place is known.
  ///
  /// - Parameter isKnown: Looks whether it is, without following a link.
  package func resume(unless isKnown: () -> Bool = { false }) {
    watch.resume(unless: isKnown)
  }

  /// Runs a closure that changes the file in a moment; no thread of this process is woken because of it.
  package func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
    try watch.quietly(change)
  }

  /// Whether changes are seen.
  package var health: Property<WatchHealth> { watch.health }
}

import Foundation
import Signals

/// Knows what something was when it was last looked at, and makes events of what has become of it.
protocol PathChanges: AnyObject, Sendable {
  /// Learns what there is; called once, before anything else.
  func look(_ watch: PathWatch)

  /// What to tell after something has happened, or after a while.
  func events(after batch: PathWatch.Batch, of watch: PathWatch) -> [FileEvent]
}

/// What the observers of files and of directories have in common.
final class PathObserver: Sendable {
  let emitter = Emitter<FileEvent, Never>()
  let watch: PathWatch

  init(
    path: String, target: WatchPlan.Target, changes: some PathChanges, polling: WatchPolling
  ) throws(FileObserverError) {
    watch = try PathWatch(path: path, target: target, polling: polling, queue: nil) { [emitter] watch, batch in
      for event in changes.events(after: batch, of: watch) { emitter.send(event) }
    }
    changes.look(watch)
    watch.start()
  }
}

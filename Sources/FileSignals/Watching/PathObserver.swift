import Foundation
import Signals

/// Knows what a path was when it was last looked at, and turns its changes into file events.
protocol ChangeInterpreter: AnyObject, Sendable {
  /// Learns what there is; called once, before anything else.
  func look(_ watch: PathChanges)

  /// The events to send after a change.
  func events(after change: PathChange, of watch: PathChanges) -> [FileEvent]
}

/// The part that the observers of files and of directories have in common.
final class PathObserver: Sendable {
  let emitter = Emitter<FileEvent, Never>()
  let watch: PathChanges
  private let subscription: SignalSubscription

  init(
    path: String, target: WatchPlan.Target, changes: some ChangeInterpreter, polling: WatchPolling
  ) throws(FileObserverError) {
    let watch = try PathChanges(path: path, target: target, polling: polling, queue: nil)
    changes.look(watch)
    self.watch = watch
    subscription = watch.sink { [weak watch, emitter] change in
      guard let watch else { return }
      for event in changes.events(after: change, of: watch) { emitter.send(event) }
    }
  }
}

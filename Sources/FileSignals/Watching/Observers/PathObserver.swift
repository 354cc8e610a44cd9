public import Foundation
import Signals

/// The last known state of a path, from which file events are derived.
protocol ChangeInterpreter: Sendable {
  /// Reads the initial state.
  ///
  /// Called once, before anything else.
  mutating func look(_ watch: PathChanges)

  /// Returns the events to send after a change.
  mutating func events(after change: PathChange, of watch: PathChanges) -> [FileEvent]
}

/// The common part of the observers of files and directories.
final class PathObserver: Sendable {
  let emitter = Emitter<FileEvent, Never>()
  let watch: PathChanges
  private let subscription: SignalSubscription

  init<Interpreter: ChangeInterpreter>(
    path: String, target: WatchPlan.Target, changes interpreter: Interpreter, polling: WatchPolling,
    source: WatchSource = .current
  ) throws(FileObserverError) {
    let watch = try PathChanges(path: path, target: target, polling: polling, queue: nil, source: source)
    var interpreter = interpreter
    interpreter.look(watch)
    // It is removed while it is used, because it may call user-defined filters, which must not run with a lock held.
    // Changes are delivered one at a time, so it is always there.
    let kept = Guarded<Interpreter?>(interpreter)
    self.watch = watch
    subscription = watch.sink { [weak watch, emitter] change in
      guard let watch, var interpreter = kept.withLock({ $0.take() }) else { return }
      let events = interpreter.events(after: change, of: watch)
      kept.withLock { [interpreter] in $0 = interpreter }
      for event in events { emitter.send(event) }
    }
  }
}

/// The ability of an observer to detect changes.
@nonexhaustive
public enum WatchHealth: Sendable, Hashable {
  /// Every change is detected as it happens.
  case active

  /// The directory does not exist.
  ///
  /// The observer waits until it exists again, which it detects like any other change.
  case waiting(for: URL)

  /// Changes are detected by polling at an interval.
  ///
  /// Several changes within one interval look like one.
  case polling(every: Duration, because: WatchPolling.Reason)

  /// Changes may be missed because of an error.
  ///
  /// The observer retries from time to time.
  case impaired(FileObserverError)
}

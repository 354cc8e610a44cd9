public import Foundation

/// The ability of an observer to detect changes.
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

public import Foundation

/// Whether an observer sees what happens.
public enum WatchHealth: Sendable, Hashable {
  /// Every change is seen as it happens.
  case active

  /// The directory is gone; the observer waits for it to come back, which it will see as it happens.
  case waiting(for: URL)

  /// Changes may go unseen because of an error; the observer tries again from time to time.
  case impaired(FileObserverError)
}

public import Foundation

/// Whether an observer sees what happens.
public enum WatchHealth: Sendable, Hashable {
  /// Every change is seen as it happens.
  case active

  /// The directory is gone; the observer waits for it to come back, which it will see as any other change.
  case waiting(for: URL)

  /// Changes are seen at the next look, of which there is one in each interval; several in between look like one.
  case polling(every: Duration, because: WatchPolling.Reason)

  /// Changes may go unseen because of an error; the observer tries again from time to time.
  case impaired(FileObserverError)
}

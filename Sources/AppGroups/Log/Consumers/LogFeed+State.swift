import Foundation
import Signals

extension LogFeed {
  /// The state of a feed: the reading that goes on, or the attempts to begin it.
  struct State {
    var run: Run?
    /// The number of beginnings, by which an attempt knows whether it is the last.
    var epoch = 0
    var pauses = Backoff.exponential(from: .milliseconds(20), upTo: .seconds(2)).pauses()
    /// Whether it has ever begun, so that folders that are missing have been removed.
    var hasBegun = false
    /// Where to begin when the directory comes back.
    var missed: (start: Start, generation: Int)?
    /// Where to begin when the contents have been swapped.
    var next: Start?
    /// Whether it was reported that a swap has closed the log.
    var isClosed = false
    /// The number of the contents that it has begun to read last.
    var swapCount = 0
    /// How often another consumer of the name was found since the last beginning.
    var refusals = 0
    /// What kept it from beginning the last time.
    var obstacle: AppGroupsLogError?

    /// Begins another series of attempts, and returns its number.
    mutating func begin(at swapCount: Int?) -> Int {
      if let swapCount, swapCount != exchange(&self.swapCount, with: swapCount) { hasBegun = false }
      epoch += 1
      pauses.reset()
      refusals = 0
      obstacle = nil
      missed = nil
      return epoch
    }
  }

  /// Where to begin to read.
  struct Start: Sendable {
    /// The directory, or `nil` if it has to be found.
    let place: LogPlace?
    /// The place of each producer from which a consumer goes on that is new.
    let ends: [UUID: LogPosition]

    /// The same, in whatever is the directory then.
    func again() -> Start { Start(place: place?.isAnchored == true ? nil : place, ends: ends) }
  }

  /// What is there while the log is read.
  struct Run: Sendable {
    let place: LogPlace
    let reader: LogReader
    let lock: ConsumerLock?
    /// For whom it is read.
    let generation: Int
    /// Whether events were read that nobody has taken, so that they must be read again.
    var isStale = false
  }
}

import Dispatch
import Foundation
import Signals

extension LogFeed {
  /// The state of a feed: the current run, or the attempts to begin one.
  struct State {
    var run: Run?
    /// The number of times that the feed began, by which an attempt finds out whether it is still current.
    var epoch = 0
    var pauses = Backoff.exponential(from: .milliseconds(20), upTo: .seconds(2)).pauses()
    /// A Boolean value that indicates whether the feed has begun in these contents, so that missing folders must
    /// have been removed.
    var hasBegun = false
    /// The start to use when the directory returns.
    var missed: (start: Start, generation: Int)?
    /// The start to use after the process is resumed.
    var refused: (start: Start, generation: Int)?
    /// A Boolean value that indicates whether the contents are being switched, and not all members show the new ones.
    ///
    /// A feed that began now could deliver events of contents that are not shown yet.
    var postponesBeginnings = false
    /// The start that was postponed to the end of the switch.
    var postponed: (start: Start, generation: Int)?
    /// A Boolean value that indicates whether it was reported that a switch has closed the log.
    var isClosed = false
    /// The number of the contents that the feed began to read last.
    var switchCount = 0
    /// The time at which another consumer of the same name is reported; `nil` until one was found.
    var refusal: (end: DispatchTime, isReported: Bool)?
    /// The error of the last failed attempt to begin.
    var obstacle: AppGroupsLogError?

    /// Begins another series of attempts, and returns its number.
    mutating func begin(at switchCount: Int?) -> Int {
      if let switchCount, switchCount != exchange(&self.switchCount, with: switchCount) { hasBegun = false }
      epoch += 1
      pauses.reset()
      refusal = nil
      obstacle = nil
      missed = nil
      refused = nil
      return epoch
    }

    /// Postpones a beginning to the end of the switch in progress.
    ///
    /// - Returns: `false` if there is no switch, so that the feed can begin at once.
    mutating func postpone(_ start: Start, _ generation: Int) -> Bool {
      guard postponesBeginnings else { return false }
      postponed = (postponed?.start ?? start, max(generation, postponed?.generation ?? 0))
      return true
    }
  }

  /// The directory and the positions at which reading begins.
  struct Start: Sendable {
    /// The directory, or `nil` if it has to be found.
    let place: LogPlace?
    /// The position of each producer at which a new consumer begins.
    let ends: [UUID: LogPosition]

    /// Returns the same start, for the directory that exists then.
    func again() -> Start { Start(place: place?.isAnchored == true ? nil : place, ends: ends) }
  }

  /// The objects that exist while the log is read.
  struct Run: Sendable {
    let place: LogPlace
    let reader: LogReader
    /// The generation that the log is read for.
    let generation: Int
    /// A Boolean value that indicates whether events were read that no member received, so that they must be read
    /// again.
    var isStale = false
  }
}

/// The positions of a process in the history of changes.
struct ShareCursors: Sendable {
  /// The last change that subscribers received.
  private(set) var told: Int64
  /// The last change that other processes know as received.
  private var saved: Int64
  /// The time at which the position was saved.
  private var savedTime = ShareLimits.now
  /// The last change that live queries received, which read everything before it when they began.
  private(set) var live: Int64
  /// The number of the file to which the positions belong.
  private(set) var file = 0
  /// A Boolean value that indicates whether subscribers receive the current batch.
  var isHeard = false
  /// A Boolean value that indicates whether there has been a subscriber.
  ///
  /// From then on, changes wait for one.
  private(set) var isReader = false
  /// A Boolean value that indicates whether other processes know this one.
  private(set) var isKnown: Bool

  /// Creates the positions of a process.
  ///
  /// - Parameters:
  ///   - saved: The position that was saved last, or `nil` if there is none.
  ///   - newest: The end of the history.
  init(saved: Int64?, newest: Int64) {
    told = saved ?? newest
    self.saved = told
    live = newest
    isKnown = saved != nil
  }

  /// Records that there has been a subscriber.
  ///
  /// - Returns: `true` if other processes do not know this one yet, so that the position has to be saved.
  mutating func becomeReader() -> Bool {
    isReader = true
    return !isKnown
  }

  /// Begins a batch, and returns the position after which it begins.
  ///
  /// Without a subscriber, changes wait in the database. A subscriber that joins during a batch begins with the next
  /// one.
  mutating func begin(isHeard: Bool) -> Int64 {
    self.isHeard = isHeard
    return isHeard ? min(told, live) : live
  }

  /// Advances past a change.
  mutating func note(_ sequence: Int64) {
    live = max(live, sequence)
    if isHeard { told = max(told, sequence) }
  }

  /// Advances past everything, without delivering it.
  mutating func skip(to sequence: Int64) { told = sequence }

  /// Moves to the history of another file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - saved: The position that is saved in the file, or `nil` if there is none.
  ///   - isHeard: A Boolean value that indicates whether subscribers receive the information that everything has
  ///     changed. They then need no earlier changes.
  mutating func move(to file: ShareRecorder.File, saved: Int64?, isHeard: Bool) {
    self.file = file.number
    self.saved = saved ?? file.newest
    isKnown = saved != nil
    live = file.newest
    told = isHeard ? file.newest : self.saved
  }

  /// A Boolean value that indicates whether the position should be saved.
  ///
  /// A process that reads also saves an unchanged position from time to time. For a process that never reads, no
  /// changes wait.
  func isSaveWorthwhile(_ limits: ShareLimits) -> Bool {
    if told != saved { return isReader || isKnown }
    return isReader && (!isKnown || ShareLimits.now - savedTime > limits.peerAge / 4)
  }

  /// Records that a position was saved.
  mutating func noteSaved(_ sequence: Int64, at time: Int64) {
    (saved, savedTime, isKnown) = (sequence, time, true)
  }
}

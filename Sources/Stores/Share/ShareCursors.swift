/// The positions of a process in the history of changes.
struct ShareCursors: Sendable {
  /// The last change that subscribers received.
  private(set) var told: Int64
  /// The last change of which other processes know that subscribers received it.
  private var saved: Int64
  /// The time at which the position was saved.
  private var savedTime = ShareLimits.now
  /// The last change that live queries received, which read everything before it when they began.
  private(set) var live: Int64
  /// The number of the file that the positions belong to.
  private(set) var file = 0
  /// A Boolean value that indicates whether subscribers receive the present batch.
  var isHeard = false
  /// A Boolean value that indicates whether there has been a subscriber, for whom changes wait from then on.
  var isReader = false
  /// A Boolean value that indicates whether other processes know of this one.
  private(set) var isKnown: Bool

  /// Makes the positions of a process.
  ///
  /// - Parameters:
  ///   - saved: The position that was saved last; `nil` if none was.
  ///   - newest: The end of the history.
  init(saved: Int64?, newest: Int64) {
    told = saved ?? newest
    self.saved = told
    live = newest
    isKnown = saved != nil
  }

  /// Begins a batch, and returns the position after which it begins.
  ///
  /// Without a subscriber, changes wait in the database. A subscriber that comes during a batch begins with the next.
  mutating func begin(isHeard: Bool) -> Int64 {
    self.isHeard = isHeard
    return isHeard ? min(told, live) : live
  }

  /// Moves past a change.
  mutating func note(_ sequence: Int64) {
    live = max(live, sequence)
    if isHeard { told = max(told, sequence) }
  }

  /// Moves past everything, without delivering it.
  mutating func skip(to sequence: Int64) { told = sequence }

  /// Moves to the history of another file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - saved: The position that is saved in it; `nil` if none is.
  ///   - isHeard: Whether subscribers are told that everything is different; they need none of the changes before.
  mutating func move(to file: ShareRecorder.File, saved: Int64?, isHeard: Bool) {
    self.file = file.number
    self.saved = saved ?? file.newest
    isKnown = saved != nil
    live = file.newest
    told = isHeard ? file.newest : self.saved
  }

  /// A Boolean value that indicates whether the position is to be saved.
  ///
  /// A process that reads saves it also now and then if it has not changed. For one that never reads, nothing waits.
  func isSaveWorthwhile(_ limits: ShareLimits) -> Bool {
    if told != saved { return isReader || isKnown }
    return isReader && (!isKnown || ShareLimits.now - savedTime > limits.peerAge / 4)
  }

  /// Notes that a position was saved.
  mutating func noteSaved(_ sequence: Int64, at time: Int64) {
    (saved, savedTime, isKnown) = (sequence, time, true)
  }
}

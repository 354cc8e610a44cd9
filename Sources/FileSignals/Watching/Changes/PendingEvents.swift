/// The events that have not been delivered to an observer yet, and the state of their processing.
struct PendingEvents {
  /// The maximum number of events in a burst.
  ///
  /// A larger one is treated as if events were lost, to bound the memory.
  private static let limit = 16_384

  private var events: [WatchEvent] = []
  /// A Boolean value that indicates whether the first subscriber has attached.
  ///
  /// Until then, events only gather.
  private var isStarted = false
  private var isStartBegun = false
  /// A Boolean value that indicates whether processing is scheduled or running.
  ///
  /// It checks for more events before it ends.
  private var isScheduled = false
  private var pauses = 0
  /// The number of pauses that have ended.
  private var pauseNumber = 0
  private var isPollDue = false

  /// The action required after events were added.
  enum Reception {
    /// The caller must schedule their processing.
    case due
    /// The owner has postponed its calls; the caller must ensure that this pause does not last.
    case postponed(pause: Int)
    /// They will be processed in any case.
    case scheduled
  }

  mutating func add(_ new: [WatchEvent]) -> Reception {
    if events.count + new.count <= Self.limit {
      events += new
    } else if let point = new.first?.point {
      events = [WatchEvent(kinds: .overflow, name: nil, point: point)]
    }
    guard isStarted, !isScheduled, !events.isEmpty else { return .scheduled }
    if pauses > 0 { return .postponed(pause: pauseNumber) }
    isScheduled = true
    return .due
  }

  /// A Boolean value that indicates whether new events would be processed at once.
  var isIdle: Bool { isStarted && !isScheduled && pauses == 0 }

  /// Claims the start for the first subscriber.
  ///
  /// - Returns: `true` for the first call; the caller must then call ``start()``.
  mutating func beginStart() -> Bool {
    defer { isStartBegun = true }
    return !isStartBegun
  }

  /// Allows events to be processed from now on.
  ///
  /// - Returns: `true` if the caller must schedule their processing.
  mutating func start() -> Bool {
    isStarted = true
    return pauses == 0 && demand()
  }

  // MARK: Processing

  /// Removes and returns the events, for the thread that processes them.
  mutating func take() -> [WatchEvent] {
    defer { events = [] }
    return events
  }

  /// Ends processing, unless more events have arrived.
  ///
  /// - Returns: `true` if there are more events, whose processing the caller must schedule.
  mutating func endUnlessMore() -> Bool {
    isScheduled = !events.isEmpty
    return isScheduled
  }

  /// Requests processing of the events, even if the owner has postponed it.
  ///
  /// - Returns: `true` if the caller must schedule it.
  mutating func demand() -> Bool {
    guard isStarted, !isScheduled, !events.isEmpty else { return false }
    isScheduled = true
    return true
  }

  // MARK: Pausing

  /// Holds events back until the matching call of ``endPause()``.
  mutating func pause() {
    pauses += 1
  }

  /// Removes and returns the events if no processing is scheduled and all of them are expected.
  mutating func take(where isExpected: (WatchEvent) -> Bool) -> [WatchEvent] {
    guard !isScheduled, events.allSatisfy(isExpected) else { return [] }
    return take()
  }

  /// Puts events back that were removed and have to be processed after all.
  mutating func putBack(_ taken: [WatchEvent]) {
    events = taken + events
  }

  /// Ends a pause.
  ///
  /// - Returns: `true` if the caller must schedule the processing of all events, even if other pauses are in effect,
  ///   since they may last long.
  mutating func endPause() -> Bool {
    pauses -= 1
    pauseNumber += 1
    return demand()
  }

  /// Requests processing of the events if a pause is still in effect.
  ///
  /// - Returns: `true` if the caller must schedule the processing, and the newer pause that postpones it, if there is
  ///   one.
  mutating func review(_ pause: Int) -> (isDue: Bool, newer: Int?) {
    if pause == pauseNumber { return (demand(), nil) }
    let isOver = isScheduled || pauses == 0 || events.isEmpty
    return (false, isOver ? nil : pauseNumber)
  }

  // MARK: Polling

  /// Requests a poll.
  ///
  /// - Returns: `true` if the caller must schedule it; it then calls ``beginPoll()``.
  mutating func demandPoll() -> Bool {
    guard isStarted, !isPollDue, pauses == 0 else { return false }
    isPollDue = true
    return true
  }

  mutating func beginPoll() {
    isPollDue = false
  }
}

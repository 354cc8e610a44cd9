import Signals

/// The events that have not been delivered to an observer yet, and the state of their processing.
struct PendingEvents {
  /// The maximum number of events in a burst.
  ///
  /// A larger one is treated as if events were lost, to bound the memory.
  private static let limit = 16_384

  /// The number of calls in a row, directly after each of which there are more events, that makes a storm.
  private static let stormStreak = 2

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
  /// The number of calls of the observer in a row directly after which there were more events.
  private var streak = 0
  private var isStorm: Bool { streak == Self.stormStreak }
  private var pauses = 0
  private var isReviewDue = false
  /// A Boolean value that indicates whether the thread that reads may rest because of a pause.
  private var isRestedFor = false
  private var isPollDue = false

  /// The action required after events were added.
  enum Reception {
    /// They will be processed in any case.
    case scheduled
    /// They gather until the observer has rested, because the changes come too fast.
    case storm
    /// They gather until the owner's pause ends. If it is the first time, the caller must schedule a review.
    case paused(isFirst: Bool)
    /// The caller must schedule their processing.
    case due
  }

  /// The action required after a call of the observer, or after a rest.
  enum Continuation {
    case nothing
    /// The caller must call the observer again.
    case call
    /// The changes come faster than the observer can use them. The caller must let it rest.
    case rest
  }

  mutating func add(_ new: [WatchEvent]) -> Reception {
    if events.count + new.count <= Self.limit {
      events += new
    } else if let point = new.first?.point {
      events = [WatchEvent(kinds: .overflow, name: nil, point: point)]
    }
    guard isStarted, !events.isEmpty else { return .scheduled }
    if isScheduled { return isStorm ? .storm : .scheduled }
    guard pauses == 0 else {
      isRestedFor = true
      return .paused(isFirst: !exchange(&isReviewDue, with: true))
    }
    isScheduled = true
    return .due
  }

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

  /// Ends a call of the observer.
  ///
  /// - Returns: What the caller must do next.
  mutating func endCall() -> Continuation {
    // In a storm, even if nothing has arrived yet.
    if isStorm { return .rest }
    guard !events.isEmpty else {
      endProcessing()
      return .nothing
    }
    streak += 1
    return isStorm ? .rest : .call
  }

  /// Ends a rest.
  ///
  /// - Returns: What the caller must do next. A rest that has brought nothing ends the storm.
  mutating func endRest() -> Continuation {
    if !events.isEmpty { return .call }
    endProcessing()
    return .nothing
  }

  private mutating func endProcessing() {
    streak = 0
    isScheduled = false
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
  /// - Returns: Whether the caller must schedule the processing of all events, even if other pauses are in effect, since
  ///   they may last long; and whether it must end the rest of the thread that reads.
  mutating func endPause() -> (isDue: Bool, endsRest: Bool) {
    pauses -= 1
    return (demand(), exchange(&isRestedFor, with: false))
  }

  /// Returns a Boolean value that indicates whether the events that have gathered during a pause need a review.
  mutating func needsReview() -> Bool {
    isReviewDue = isReviewDue && !events.isEmpty
    return isReviewDue
  }

  /// A Boolean value that indicates whether new events would gather.
  var isResting: Bool { isScheduled ? isStorm : pauses > 0 }

  /// Requests processing of the events that have gathered during a pause.
  ///
  /// - Returns: `true` if the caller must schedule it.
  mutating func review() -> Bool {
    isReviewDue = false
    return demand()
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

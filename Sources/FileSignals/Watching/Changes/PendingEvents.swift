/// The events that an observer has not been called with yet, and whether somebody sees to it that it will be.
struct PendingEvents {
  /// A burst of more events than this is treated as one in which some were lost, to bound the memory it takes.
  private static let limit = 16_384

  private var events: [WatchEvent] = []
  /// Until the first subscriber comes, events only gather.
  private var isStarted = false
  private var isStartBegun = false
  /// Whether somebody is about to process events, or is at it, and will look for more before leaving.
  private var isScheduled = false
  private var pauses = 0
  /// How many pauses are over.
  private var pauseNumber = 0
  private var isPollDue = false

  /// What has to be done about events that were added.
  enum Reception {
    /// The caller must have them processed.
    case due
    /// The owner has put off being called; the caller must see to it that this pause does not last.
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

  /// Whether events that came now would be processed at once.
  var isIdle: Bool { isStarted && !isScheduled && pauses == 0 }

  /// Claims the start for the first subscriber.
  ///
  /// - Returns: Whether this is the first call; the caller then has to call ``start()``.
  mutating func beginStart() -> Bool {
    defer { isStartBegun = true }
    return !isStartBegun
  }

  /// Lets events be processed from now on.
  ///
  /// - Returns: Whether the caller must have them processed.
  mutating func start() -> Bool {
    isStarted = true
    return pauses == 0 && demand()
  }

  // MARK: Processing

  /// Takes what there is, for who is processing.
  mutating func take() -> [WatchEvent] {
    defer { events = [] }
    return events
  }

  /// Ends processing, unless more has come meanwhile.
  ///
  /// - Returns: Whether there is more, which the caller must have processed.
  mutating func endUnlessMore() -> Bool {
    isScheduled = !events.isEmpty
    return isScheduled
  }

  /// Asks that what has gathered be processed, even if the owner puts it off.
  ///
  /// - Returns: Whether the caller must see to it.
  mutating func demand() -> Bool {
    guard isStarted, !isScheduled, !events.isEmpty else { return false }
    isScheduled = true
    return true
  }

  // MARK: Pausing

  /// Lets events only gather, until ``endPause(with:)`` has been called as often.
  mutating func pause() {
    pauses += 1
  }

  /// Takes what has gathered if nobody is about to process it and all of it is expected.
  mutating func take(where isExpected: (WatchEvent) -> Bool) -> [WatchEvent] {
    guard !isScheduled, events.allSatisfy(isExpected) else { return [] }
    return take()
  }

  /// Ends a pause.
  ///
  /// - Parameter news: What was taken and has to be processed after all.
  /// - Returns: Whether the caller must have what there is processed, even if others still put it off: they may do so
  ///   for long.
  mutating func endPause(with news: [WatchEvent]) -> Bool {
    pauses -= 1
    pauseNumber += 1
    if !news.isEmpty { events = news + events }
    return demand()
  }

  /// Asks that what has gathered be processed if a pause is still not over.
  ///
  /// - Returns: Whether the caller must see to it, and the newer pause for which it is put off, if so.
  mutating func review(_ pause: Int) -> (isDue: Bool, newer: Int?) {
    if pause == pauseNumber { return (demand(), nil) }
    let isOver = isScheduled || pauses == 0 || events.isEmpty
    return (false, isOver ? nil : pauseNumber)
  }

  // MARK: Polling

  /// Asks for a look at what there is.
  ///
  /// - Returns: Whether the caller must see to it; then it is to call ``beginPoll()``.
  mutating func demandPoll() -> Bool {
    guard isStarted, !isPollDue, pauses == 0 else { return false }
    isPollDue = true
    return true
  }

  mutating func beginPoll() {
    isPollDue = false
  }
}

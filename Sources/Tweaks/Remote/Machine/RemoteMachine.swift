import Foundation
import Signals

/// The state of a ``RemoteTweakProvider`` as a value, which computes the effects of each event.
///
/// It performs no effects itself and reads no clock, so that tests can cover every path. Its rules:
///
/// - **Epochs.** Each identified user begins a new epoch. The answer to a request of an earlier epoch changes only the
///   cache of its own user.
/// - **Requests.** One request at a time is in progress for an epoch. Calls made during it receive its answer.
/// - **Failures** keep the last good values.
/// - **Versions.** Values of an older version never replace newer ones, whether they are an answer, a patch, or an
///   entry of the cache. Without a version, the later request counts. `RemoteOrderTests` has the table.
/// - **Retry-After.** Before its end, nothing is sent.
/// - **ETag.** A request has one only if the newest values were decoded, belong to the same context, and have had no
///   patch since.
struct RemoteMachine: Sendable {
  let policy: RemoteTweakPolicy
  let hasStream: Bool
  let hasBootstrap: Bool

  /// A Boolean value that indicates whether the processes that use the cache ask the server together.
  let isShared: Bool

  var user: RemoteUser

  /// The values in effect, and newer ones that wait for the next launch.
  var shown: RemoteContent?
  var pending: RemoteContent?

  /// The number of times that the newest values have been replaced, and the time when they were last known to be those
  /// of the server, by the monotonic clock.
  var changeCount = 0
  var confirmation = Duration.zero

  /// A Boolean value that indicates whether the server has given or confirmed the values in this launch.
  var isConfirmed = false

  /// A Boolean value that indicates whether the cached values may be outdated.
  var isOutdated = false

  /// A Boolean value that indicates whether the next answer takes effect at once, because a user was just identified.
  var activatesNext = false
  var failure: TweakRequestFailure?
  var isOffline = false

  /// The request in progress, and those of earlier users.
  var flight: Flight?
  var lateFlights: [Flight] = []
  private var lastFlight = 0
  var calls: [RemoteEvent.Call] = []

  /// The number of requests in a row that have failed, or whose answers were too old.
  var failures = 0

  /// The times of the next automatic request and of the end of the server's `Retry-After`, by the monotonic clock.
  var nextRequest: Duration?
  var notBefore: Duration?

  var stream = StreamState()
  var sharing = SharingState()

  /// A request to the server.
  struct Flight: Sendable, Hashable {
    let number: Int
    let user: RemoteUser
    let etag: String?
    let sent: Duration
    let deadline: Duration

    /// The number of changes that had been made when the request was sent.
    let changeCount: Int
  }

  init(
    policy: RemoteTweakPolicy, user: RemoteUser, hasStream: Bool = false, hasBootstrap: Bool = false,
    isShared: Bool = false
  ) {
    self.policy = policy
    self.user = user
    self.hasStream = hasStream
    self.hasBootstrap = hasBootstrap
    self.isShared = isShared
  }

  /// Handles an event, and returns its effects in order.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The moment.
  ///   - chance: A random number from 0 to 1.
  /// - Returns: The effects.
  mutating func handle(_ event: RemoteEvent, now: RemoteMoment, chance: Double) -> [RemoteEffect] {
    var turn = Turn(now: now, chance: chance)
    let before = nextWake
    var isAlarm = false
    switch event {
    case .started(let content, let notBefore): started(content, notBefore, &turn)
    case .wake:
      isAlarm = true
      wake(&turn)
    case .refresh(let call): refresh(call, &turn)
    case .hasten: hasten(&turn)
    case .claimed(let isGranted, let content, let notBefore): claimed(isGranted, content, notBefore, &turn)
    case .followed(let content, let entry): if entry == user.entry { _ = follow(content, &turn) }
    case .answered(let number, let result, let retryAfter): answered(number, result, retryAfter, &turn)
    case .identify(let user, let content, let call): identify(user, content, call, &turn)
    case .offline(let isOffline): offline(isOffline, &turn)
    case .activate: activate(&turn)
    case .patched(let patch, let stream): patched(patch, stream, &turn)
    case .streamEnded(let stream, let retryAfter): streamEnded(stream, retryAfter, &turn)
    }
    endClaimIfUnused(&turn)
    closeGap(&turn)
    if nextWake != before || isAlarm { turn.add(.wake(at: nextWake)) }
    return turn.effects
  }

  /// The handling of one event: its moment and its effects.
  struct Turn {
    let now: RemoteMoment
    let chance: Double
    var effects: [RemoteEffect] = []

    mutating func add(_ effect: RemoteEffect) {
      effects.append(effect)
    }

    /// Returns the time in seconds since the server gave or confirmed values; it is negative if the clock was set back.
    ///
    /// A damaged date counts as a century, which every type for durations can hold.
    func age(of content: RemoteContent) -> TimeInterval {
      max(-Self.longestAge, min(now.date.timeIntervalSince(content.fetched), Self.longestAge))
    }

    private static let longestAge: TimeInterval = 3e9
  }

  // MARK: Status

  /// A Boolean value that indicates whether the server has refused the app.
  var isRefused: Bool { failure?.isFatal ?? false }

  /// The time of the next automatic request or connection, or of the end of a wait for an answer.
  var nextWake: Duration? {
    let times = [nextRequest, stream.nextConnection, flight?.deadline, lateFlights.map(\.deadline).min()]
    return times.compactMap(\.self).min()
  }

  /// The newest values, whether they are in effect or not.
  var newest: RemoteContent? { pending ?? shown }

  var status: RemoteTweakStatus {
    let state: RemoteTweakState =
      if let failure {
        failure.isFatal ? .fatal(failure) : .error(failure)
      } else if newest == nil {
        .notReady
      } else {
        isOutdated ? .stale : .ready
      }
    let origin: RemoteTweakOrigin =
      if shown == nil {
        hasBootstrap ? .bootstrap : .none
      } else {
        isConfirmed && pending == nil ? .network : .cache
      }
    var status = RemoteTweakStatus(state: state, origin: origin, fetchDate: shown?.fetched)
    status.isSettled = isConfirmed || sharing.isCurrent || isOffline || isRefused
    return status
  }

  // MARK: Start

  private mutating func started(_ content: RemoteContent?, _ notBefore: Date?, _ turn: inout Turn) {
    note(notBefore, turn)
    take(content, &turn)
    scheduleFirst(&turn)
    connect(&turn)
    sendIfDue(&turn)
  }

  /// Notes the stored date before which the server wants no request.
  mutating func note(_ date: Date?, _ turn: Turn) {
    guard let wait = date?.timeIntervalSince(turn.now.date) else { return }
    // A longer wait than a server can ask for means that the clock was changed.
    if wait > 0, wait <= policy.longestRetryAfter.inSeconds { notBefore = turn.now.elapsed + .seconds(wait) }
  }

  /// Shows the cached values of the current user.
  mutating func take(_ content: RemoteContent?, _ turn: inout Turn) {
    shown = content
    pending = nil
    changeCount += 1
    confirmation = turn.now.elapsed
    isConfirmed = false
    isOutdated = false
    (sharing.isCurrent, sharing.busySince) = (false, nil)
    sharing.outdateClaim()
    if let content {
      let age = turn.age(of: content)
      confirmation -= .seconds(max(0, age))
      let isOld = policy.staleAge.map { age > $0.inSeconds } ?? false
      isOutdated = age < 0 || isOld || content.fingerprint != user.fingerprint
      sharing.isCurrent = isShared && isFresh(content, turn)
    }
    turn.add(.show(content?.tweaks))
    if isShared { turn.add(.follow(entry: user.entry)) }
  }

  /// Schedules the first request: at once without usable values, and otherwise after a random delay.
  mutating func scheduleFirst(_ turn: inout Turn) {
    guard let polling = policy.polling, !isOffline, !isRefused else { return }
    if sharing.isCurrent, let shown { return poll(after: turn.age(of: shown), &turn) }
    let spread = min(policy.firstDelay, polling)
    let isUrgent = shown == nil || isOutdated
    schedule(isUrgent ? .zero : .seconds(spread.inSeconds * turn.chance), turn)
  }

  /// Schedules the next automatic request, but not before the server allows it.
  mutating func schedule(_ pause: Duration, _ turn: Turn) {
    nextRequest = max(turn.now.elapsed + pause, notBefore ?? .zero)
  }

  // MARK: Requests

  private mutating func wake(_ turn: inout Turn) {
    if let flight, flight.deadline <= turn.now.elapsed {
      self.flight = nil
      turn.add(.cancel(flight: flight.number))
      failed(.timedOut(after: policy.timeout), &turn)
    }
    lateFlights.removeAll { late in
      if late.deadline <= turn.now.elapsed { turn.add(.cancel(flight: late.number)) }
      return late.deadline <= turn.now.elapsed
    }
    connectIfDue(&turn)
    sendIfDue(&turn)
  }

  mutating func sendIfDue(_ turn: inout Turn) {
    guard let nextRequest, nextRequest <= turn.now.elapsed else { return }
    ask(&turn)
  }

  /// Sends a request, unless one is in progress, but not before the server allows it.
  mutating func send(_ turn: inout Turn) {
    guard beginRequest(turn) else { return }
    let newest = newest
    // With an unchanged answer, waiting patches would never be applied.
    let isUsable = newest?.fingerprint == user.fingerprint && stream.waiting.isEmpty
    lastFlight += 1
    let new = Flight(
      number: lastFlight, user: user, etag: isUsable ? newest?.etag : nil, sent: turn.now.elapsed,
      deadline: turn.now.elapsed + policy.timeout, changeCount: changeCount)
    flight = new
    let request = TweakRequest(
      context: user.context, etag: new.etag, maximumBodySize: policy.maximumBodySize)
    turn.add(.send(request, flight: new.number))
  }

  /// Removes the time of the next request, and returns a Boolean value that indicates whether one may be sent now.
  ///
  /// One that the server has asked to postpone is scheduled.
  mutating func beginRequest(_ turn: Turn) -> Bool {
    nextRequest = nil
    guard flight == nil, !isOffline else { return false }
    if isPostponed(turn) {
      schedule(.zero, turn)
      return false
    }
    return true
  }

  /// Requests all values again, because an answer to an earlier request may lack changes.
  mutating func sendAnew(_ turn: inout Turn) {
    if let old = flight {
      flight = nil
      turn.add(.cancel(flight: old.number))
      if let refusal = refusal(turn) { answerCalls(refusal, &turn) }
    }
    send(&turn)
  }

  private mutating func refresh(_ call: RemoteEvent.Call, _ turn: inout Turn) {
    if let refusal = refusal(turn) { return turn.add(.answer(call, refusal)) }
    calls.append(call)
    send(&turn)
  }

  private mutating func hasten(_ turn: inout Turn) {
    guard !isConfirmed, !sharing.isCurrent, failures == 0, refusal(turn) == nil, !isRefused else { return }
    ask(&turn)
  }

  /// Returns a Boolean value that indicates whether the server has asked to wait.
  func isPostponed(_ turn: Turn) -> Bool { notBefore.map { $0 > turn.now.elapsed } ?? false }

  /// Returns the reason why no request may be sent now.
  func refusal(_ turn: Turn) -> TweakRequestFailure? {
    if isOffline { return .offline }
    guard let notBefore, isPostponed(turn) else { return nil }
    let wait = (notBefore - turn.now.elapsed).inSeconds
    return .postponed(until: turn.now.date.addingTimeInterval(wait))
  }

  mutating func answerCalls(_ failure: TweakRequestFailure?, _ turn: inout Turn) {
    for call in calls { turn.add(.answer(call, failure)) }
    calls = []
  }

  // MARK: Users

  private mutating func identify(
    _ new: RemoteUser, _ content: RemoteContent?, _ call: RemoteEvent.Call, _ turn: inout Turn
  ) {
    answerCalls(.superseded, &turn)
    if let flight { lateFlights.append(flight) }
    flight = nil
    endClaimIfUnused(&turn)
    let content = newer(of: content, for: new)
    user = new
    failure = nil
    failures = 0
    nextRequest = nil
    activatesNext = true
    take(content, &turn)
    restartStream(&turn)
    if let refusal = refusal(turn) {
      turn.add(.answer(call, refusal))
      if !isOffline, policy.polling != nil { schedule(.zero, turn) }
    } else {
      calls.append(call)
      send(&turn)
    }
  }

  /// Returns the cached values of a user, or those in memory if they are not older.
  ///
  /// Memory may be newer than the cache, whose writes come later. Other processes write it, too.
  private func newer(of cached: RemoteContent?, for new: RemoteUser) -> RemoteContent? {
    guard new.entry == user.entry, let newest else { return cached }
    guard let cached else { return newest }
    if cached.fingerprint == new.fingerprint, newest.fingerprint != new.fingerprint { return cached }
    return cached.outranks(newest) ? cached : newest
  }

  // MARK: Offline, activation

  private mutating func offline(_ isOffline: Bool, _ turn: inout Turn) {
    guard self.isOffline != isOffline else { return }
    self.isOffline = isOffline
    if isOffline {
      nextRequest = nil
      sharing.outdateClaim()
      disconnect(&turn)
    } else {
      scheduleFirst(&turn)
      connect(&turn)
    }
    sendIfDue(&turn)
  }

  mutating func activate(_ turn: inout Turn) {
    guard let pending else { return }
    shown = pending
    self.pending = nil
    turn.add(.show(pending.tweaks))
  }
}

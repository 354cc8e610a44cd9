import Signals

extension RemoteMachine {
  /// The connection to a stream of patches.
  struct StreamState: Sendable, Hashable {
    var isConnected = false

    /// The number of connections so far, by which events of an earlier one are recognized.
    var number = 0
    var opened = Duration.zero
    var lastEventID: String?

    /// The number of short connections in a row.
    var failures = 0
    var nextConnection: Duration?

    /// The patches that wait for a complete answer.
    var waiting: [TweakPatch] = []

    /// A Boolean value that indicates whether changes may be missing, so that an answer is needed.
    ///
    /// Patches whose version follows the values are applied nevertheless.
    var hasGap = false
  }

  /// The connection time after which the next failure counts as the first one.
  private static let steadyConnection = Duration.seconds(60)

  /// The maximum number of patches that wait for an answer.
  private static let waitingLimit = 1_000

  // MARK: Connecting

  /// Connects, but not before the server allows it.
  mutating func connect(_ turn: inout Turn) {
    guard hasStream, !isOffline, !isRefused, !stream.isConnected else { return }
    if isPostponed(turn) {
      stream.nextConnection = notBefore
      return
    }
    stream.nextConnection = nil
    stream.isConnected = true
    stream.number += 1
    stream.opened = turn.now.elapsed
    let request = TweakRequest(context: user.context, lastEventID: stream.lastEventID)
    turn.add(.connect(request, stream: stream.number))
    // A server that cannot resume may have sent changes in between.
    if stream.number > 1, stream.lastEventID == nil { stream.hasGap = true }
    if stream.hasGap { sendAnew(&turn) }
  }

  mutating func connectIfDue(_ turn: inout Turn) {
    if let next = stream.nextConnection, next <= turn.now.elapsed { connect(&turn) }
  }

  mutating func disconnect(_ turn: inout Turn) {
    stream.nextConnection = nil
    guard stream.isConnected else { return }
    stream.isConnected = false
    turn.add(.disconnect)
  }

  /// Connects for another user.
  mutating func restartStream(_ turn: inout Turn) {
    disconnect(&turn)
    stream = StreamState(number: stream.number)
    connect(&turn)
  }

  mutating func streamEnded(_ number: Int, _ retryAfter: Duration?, _ turn: inout Turn) {
    guard stream.isConnected, number == stream.number else { return }
    stream.isConnected = false
    if let retryAfter { postpone(retryAfter, &turn) }
    if turn.now.elapsed - stream.opened >= Self.steadyConnection { stream.failures = 0 }
    stream.failures += 1
    stream.nextConnection = policy.retry.pause(after: stream.failures, chance: turn.chance).map {
      max(turn.now.elapsed + $0, notBefore ?? .zero)
    }
    if nextRequest == nil, flight == nil, !sharing.isAsking { poll(&turn) }
  }

  // MARK: Patches

  mutating func patched(_ patch: TweakPatch, _ number: Int, _ turn: inout Turn) {
    guard stream.isConnected, number == stream.number else { return }
    if let id = patch.eventID { stream.lastEventID = id.isEmpty ? nil : id }
    if apply(patch, &turn) { return }
    wait(patch)
    // An answer is on its way or scheduled, and the patch follows it.
    if stream.hasGap || (flight != nil && newest?.version == nil) { return }
    stream.hasGap = true
    // A request in progress may have been answered before the missing patches.
    sendAnew(&turn)
  }

  private mutating func wait(_ patch: TweakPatch) {
    if stream.waiting.count == Self.waitingLimit { stream.waiting.removeFirst() }
    stream.waiting.append(patch)
  }

  /// Applies the patches that have waited for an answer, and returns `false` if an earlier one is still missing.
  mutating func replay(_ turn: inout Turn) -> Bool {
    let waiting = stream.waiting
    stream.waiting = []
    for (index, patch) in waiting.enumerated() where !apply(patch, &turn) {
      stream.hasGap = true
      stream.waiting = Array(waiting[index...])
      return false
    }
    return true
  }

  /// Replaces the values by those that another process has stored, applies the patches that have waited, and notes
  /// whether changes may be missing in between.
  mutating func replace(by content: RemoteContent, isFresh: Bool, _ turn: inout Turn) {
    // A stream that does not resume begins with the changes after its opening, before which the other process may have
    // asked. This does not matter if this process has known all values since.
    let isEarlier =
      stream.isConnected && stream.lastEventID == nil && (stream.hasGap || confirmation <= stream.opened)
      && turn.age(of: content) + policy.timeout.inSeconds > (turn.now.elapsed - stream.opened).inSeconds
    if isFresh, isEarlier { stream.hasGap = true }
    // Without a version, the values may lack changes before the last event, after which a stream would resume.
    if content.version == nil, !stream.isConnected { stream.lastEventID = nil }
    confirmation = turn.now.elapsed - .seconds(turn.age(of: content))
    keep(content, &turn)
    if isFresh { isConfirmed = true }
    if !stream.waiting.isEmpty, replay(&turn), !isEarlier { stream.hasGap = false }
  }

  /// Asks for the changes that may be missing, unless a request is on its way or scheduled.
  mutating func closeGap(_ turn: inout Turn) {
    guard stream.isConnected, stream.hasGap, flight == nil, nextRequest == nil, !sharing.isAsking else { return }
    ask(&turn)
  }

  /// Applies a patch or ignores an older one, and returns `false` if an earlier one may be missing.
  private mutating func apply(_ patch: TweakPatch, _ turn: inout Turn) -> Bool {
    if patch.isComplete {
      replaceAll(patch, &turn)
      return true
    }
    guard let old = newest, old.fingerprint == user.fingerprint else { return false }
    if let version = old.version {
      if patch.version <= version { return true }
      if patch.version - 1 != version { return false }
    } else if !isConfirmed || stream.hasGap {
      return false
    }
    let removed = Set(patch.removed), replaced = Set(patch.tweaks.map(\.id))
    let kept = old.tweaks.filter { !removed.contains($0.id) && !replaced.contains($0.id) }
    // The ETag is dropped, because the server has never given it to these tweaks.
    adopt(RemoteContent(tweaks: kept + patch.tweaks, version: patch.version), &turn)
    return true
  }

  /// Replaces all values by those of a complete patch, unless it is older.
  private mutating func replaceAll(_ patch: TweakPatch, _ turn: inout Turn) {
    let content = RemoteContent(tweaks: patch.tweaks, version: patch.version)
    // The patch may have been on its way since the connection was opened.
    guard order(of: content, sent: stream.opened, after: changeCount) == .newer else {
      // The stream lags behind, and so the changes that it sends next are not those that follow the values.
      stream.hasGap = true
      failures += 1
      if flight == nil, !sharing.isAsking { retry(&turn) }
      return
    }
    stream.hasGap = false
    stream.waiting = []
    adopt(content, &turn)
    confirm(&turn)
  }
}

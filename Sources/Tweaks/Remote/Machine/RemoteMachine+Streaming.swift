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

    /// A Boolean value that indicates whether a patch is missing, so that a complete answer is needed.
    var hasGap = false
  }

  /// The connection time after which the next failure counts as the first one.
  private static let steadyConnection = Duration.seconds(60)

  /// The maximum number of patches that wait for an answer.
  private static let waitingLimit = 1_000

  // MARK: Connecting

  mutating func connect(_ turn: inout Turn) {
    guard hasStream, !isOffline, !isRefused, !stream.isConnected else { return }
    stream.nextConnection = nil
    stream.isConnected = true
    stream.number += 1
    stream.opened = turn.now.elapsed
    let request = TweakStreamRequest(context: user.context, lastEventID: stream.lastEventID)
    turn.add(.connect(request, stream: stream.number))
  }

  mutating func connectIfDue(_ turn: inout Turn) {
    guard let next = stream.nextConnection, next <= turn.now.elapsed else { return }
    let isResuming = stream.lastEventID != nil
    connect(&turn)
    // A server that cannot resume may have sent changes in between.
    if !isResuming { send(&turn) }
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

  mutating func streamEnded(_ number: Int, _ turn: inout Turn) {
    guard stream.isConnected, number == stream.number else { return }
    stream.isConnected = false
    if turn.now.elapsed - stream.opened >= Self.steadyConnection { stream.failures = 0 }
    stream.failures += 1
    stream.nextConnection = policy.retry.pause(after: stream.failures, chance: turn.chance).map {
      max(turn.now.elapsed + $0, notBefore ?? .zero)
    }
    if nextRequest == nil, flight == nil { poll(&turn) }
  }

  // MARK: Patches

  mutating func patched(_ patch: TweakPatch, _ number: Int, _ turn: inout Turn) {
    guard stream.isConnected, number == stream.number else { return }
    stream.lastEventID = patch.eventID ?? stream.lastEventID
    if !patch.isComplete, stream.hasGap || (newest == nil && flight != nil) { return wait(patch) }
    if apply(patch, &turn) { return }
    wait(patch)
    stream.hasGap = true
    // A request in progress may have been answered before the missing patches.
    if let flight { lateFlights.append(flight) }
    flight = nil
    send(isComplete: true, &turn)
  }

  private mutating func wait(_ patch: TweakPatch) {
    if stream.waiting.count == Self.waitingLimit { stream.waiting.removeFirst() }
    stream.waiting.append(patch)
  }

  /// Applies the patches that have waited for an answer.
  mutating func replay(_ turn: inout Turn) {
    let waiting = stream.waiting
    stream.waiting = []
    for (index, patch) in waiting.enumerated() where !apply(patch, &turn) {
      // The answer was older than the patches. Another request follows after a pause.
      stream.hasGap = true
      stream.waiting = Array(waiting[index...])
      failures += 1
      return retry(&turn)
    }
  }

  /// Applies a patch, and returns `false` if an earlier one is missing.
  private mutating func apply(_ patch: TweakPatch, _ turn: inout Turn) -> Bool {
    if patch.isComplete {
      stream.hasGap = false
      stream.waiting = []
      adopt(RemoteContent(tweaks: patch.tweaks, version: patch.version), &turn)
      confirmByStream(&turn)
      return true
    }
    guard let old = newest else { return false }
    if let version = old.version {
      if patch.version <= version { return true }
      if patch.version != version + 1 { return false }
    }
    let removed = Set(patch.removed), replaced = Set(patch.tweaks.map(\.id))
    let kept = old.tweaks.filter { !removed.contains($0.id) && !replaced.contains($0.id) }
    // The ETag is dropped, because the server has never given it to these tweaks.
    adopt(RemoteContent(tweaks: kept + patch.tweaks, version: patch.version), &turn)
    publish(&turn)
    return true
  }

  private mutating func confirmByStream(_ turn: inout Turn) {
    failure = nil
    failures = 0
    isConfirmed = true
    isOutdated = false
    activatesNext = false
    nextRequest = nil
    turn.add(.recovered)
    publish(&turn)
  }
}

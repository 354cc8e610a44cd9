import Inspector

/// What one browser still has to receive.
struct EventClient {
  static let frameLimit = 2000
  static let byteLimit = 1 << 20

  /// The pause between two states of one resource.
  private let statePause: Duration

  /// The largest number of resources in one event, and the number above which a pause follows it.
  private static let (most, few) = (256, 16)

  private var frames: [Frame] = []
  private var bytes = 0
  private var isHeartbeatDue = false

  /// The changes that were left out since the last frame.
  private var gap: (from: Frame, to: Frame, count: Int)?

  private var resources: [String: InspectedResource] = [:]
  private var removed: Set<String> = []
  private var processes: [InspectedProcess]?
  private var problems: [InspectedProblem]?

  /// The times at which states were sent that may not be followed by others yet.
  private var sent: [String: ContinuousClock.Instant] = [:]

  /// The time at which a state may be sent; `nil` if none waits.
  private var due: ContinuousClock.Instant?
  private var nextState = ContinuousClock.now

  /// What the client has received.
  private var received: EventID

  /// The number of the last update that was added.
  private var latest: Int

  private(set) var isEnding = false

  init(after received: EventID, statePause: Duration = .milliseconds(100)) {
    (self.received, latest, self.statePause) = (received, received.moment, statePause)
  }

  /// Adds a frame, or counts it as left out if the client is too slow.
  mutating func add(_ frame: Frame) {
    if frame.change != nil, frames.count >= Self.frameLimit || bytes + frame.bytes.count > Self.byteLimit {
      let count = (gap?.count ?? 0) + (frame.change?.count ?? 1)
      gap = (gap?.from ?? frame, frame, count)
      return
    }
    frames.append(frame)
    bytes += frame.bytes.count
  }

  /// Replaces the state that the client has not received yet.
  mutating func add(_ state: StateEvent, moment: Int) {
    let now = ContinuousClock.now
    latest = moment
    for resource in state.resources {
      resources[resource.id] = resource
      removed.remove(resource.id)
      let time = sent[resource.id].map { $0 + statePause } ?? now
      due = min(due ?? time, time)
    }
    for id in state.removed {
      resources[id] = nil
      removed.insert(id)
    }
    processes = state.processes ?? processes
    problems = state.problems ?? problems
    if hasLists { due = now }
  }

  mutating func addHeartbeat() { isHeartbeatDue = true }

  /// Ends the stream after everything that waits.
  mutating func end() { isEnding = true }

  private var hasLists: Bool { !removed.isEmpty || processes != nil || problems != nil }

  /// A Boolean value that indicates whether a state waits until it may be sent.
  var isPostponed: Bool { due != nil }

  private func isStateReady(_ now: ContinuousClock.Instant) -> Bool { due.map { now >= max($0, nextState) } ?? false }

  /// A Boolean value that indicates whether ``take(epoch:)`` returns something.
  var isReady: Bool { !frames.isEmpty || isHeartbeatDue || gap != nil || isStateReady(.now) }

  /// Takes up to about 64 KiB of what waits.
  mutating func take(epoch: String) -> [UInt8] {
    let now = ContinuousClock.now
    var taken: [UInt8] = isHeartbeatDue ? Frame.heartbeat : []
    isHeartbeatDue = false
    var count = 0
    while count < frames.count, taken.isEmpty || taken.count + frames[count].bytes.count <= 64 << 10 {
      bytes -= frames[count].bytes.count
      append(frames[count], to: &taken, epoch)
      count += 1
    }
    frames.removeFirst(count)
    if frames.isEmpty, let gap {
      let event = GapEvent(
        from: gap.from.change?.sequence ?? "", to: gap.to.change?.sequence ?? "", skipped: gap.count,
        reason: "slow client")
      append(Frame("gap", event, position: gap.to.position), to: &taken, epoch)
      self.gap = nil
    }
    if frames.isEmpty, isStateReady(now) { takeState(into: &taken, epoch, now) }
    return taken
  }

  private mutating func append(_ frame: Frame, to taken: inout [UInt8], _ epoch: String) {
    if let position = frame.position { received.position = position }
    taken += "id: \(epoch):\(received.text)\n".utf8
    taken += frame.bytes
  }

  private mutating func takeState(
    into taken: inout [UInt8], _ epoch: String, _ now: ContinuousClock.Instant
  ) {
    sent = sent.filter { now < $0.value + statePause }
    var event = StateEvent(removed: removed.sorted(), processes: processes, problems: problems)
    for id in resources.keys.filter({ sent[$0] == nil }).sorted().prefix(Self.most) {
      guard let resource = resources.removeValue(forKey: id) else { continue }
      event.resources.append(resource)
      sent[id] = now
    }
    (removed, processes, problems) = ([], nil, nil)
    if event.resources.count > Self.few { nextState = now + statePause }
    due = resources.keys.map { sent[$0].map { $0 + statePause } ?? now }.min()
    // Only now has the client everything that was ever added.
    if resources.isEmpty { received.moment = latest }
    append(Frame("state", event, position: nil), to: &taken, epoch)
  }
}

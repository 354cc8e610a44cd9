import Signals

/// The watch of one namespace as a value, which computes the actions that follow from each event.
///
/// It performs no actions itself and reads no clock, so that tests can cover every path. Its rules:
///
/// - **Generations.** Each read and each stream has a number. Events of earlier ones change nothing.
/// - **Position.** The position is the last revision that was delivered, or up to which the server has notified
///   progress. A revision learned elsewhere never moves it, because events before it could be missed.
/// - **Eras.** If the cluster was restored or replaced, revisions begin anew. Values then accept any revision again.
/// - **Silence.** A member that is silent for long is asked whether it is alive. If it does not answer, another one
///   is tried.
struct WatchMachine: Sendable {
  /// The current activity.
  enum Phase: Sendable, Hashable {
    /// Nothing is followed.
    case idle
    /// The open keys are read.
    case reading
    /// The stream is being opened.
    case opening
    /// The stream is open, but events that happened during an interruption may still be under way.
    case settling
    case following
    /// A pause precedes the next attempt.
    case waiting
  }

  /// The meaning of a timer.
  enum Timer: Sendable, Hashable {
    case retry, silence, settled
  }

  enum Event: Sendable {
    /// A first key was opened.
    case start
    /// The last key was closed.
    case stop
    /// The open keys were read.
    case read(Int, KeySnapshot)
    case notRead(Int, ClusterError)
    case message(Int, WatchMessage)
    /// The stream ended, or could not be opened.
    case ended(Int, ClusterError)
    /// A message of the stream was longer than allowed.
    case tooLong(Int, ClusterError)
    case timer(Int, Timer)
    /// The member answered whether it is alive, with a linearizable read.
    case alive(Int, EtcdHeader)
    case notAlive(Int, ClusterError)
  }

  enum Action: Sendable {
    /// Read all open keys at one revision.
    case read(Int)
    /// Open a stream of the events from a revision on.
    case open(Int, from: Int64)
    case close
    /// Set a timer; it replaces an earlier one with the same meaning.
    case set(Int, Timer, after: Duration)
    /// Ask the member of the stream whether it is alive.
    case ask(Int)
    /// Use another endpoint.
    case rotate
    /// Let values accept any revision.
    case beginEra
    case apply(KeySnapshot)
    case deliver([WatchEvent])
    case show(ConnectionState)
    case report(ClusterError)
    /// The position has moved to the first revision. The second one is the newest that the server knows.
    case moved(Int64, Int64)
    case reconnected
  }

  /// The relation of the namespace to the cluster.
  enum ConnectionState: Sendable, Hashable {
    case connecting
    case current
    case broken(ClusterError)
  }

  let namespace: String
  let patience: Duration

  private(set) var phase = Phase.idle
  private(set) var generation = 0
  private(set) var era = 0
  private(set) var position: Int64 = 0
  private var cluster: UInt64 = 0
  private var lastHeard: ContinuousClock.Instant?
  private var isAsking = false
  /// A Boolean value that indicates whether open keys may not have been read.
  private var needsRead = false
  private var pauses: EndpointPauses
  /// The number of streams in a row that the server canceled without a compaction.
  private var cancellations = 0
  private var hasConnected = false

  init(namespace: String, patience: Duration, pauses: EndpointPauses) {
    self.namespace = namespace
    self.patience = patience
    self.pauses = pauses
  }

  /// A Boolean value that indicates whether the stream is open or being opened.
  var isConnected: Bool { [.opening, .settling, .following].contains(phase) }

  /// Handles an event, and returns the actions that follow, in order.
  mutating func handle(_ event: Event, now: ContinuousClock.Instant) -> [Action] {
    switch event {
    case .start:
      guard phase == .idle else { return [] }
      return [.show(.connecting)] + read()
    case .stop:
      generation += 1
      phase = .idle
      return [.close]
    case .read(let number, let snapshot):
      return number == generation ? took(snapshot, now) : []
    case .notRead(let number, let error):
      return number == generation ? failed(error) : []
    case .message(let number, let message):
      return number == generation ? received(message, now) : []
    case .ended(let number, let error):
      return number == generation ? failed(error) : []
    case .tooLong(let number, let error):
      // The same message would come again from the same position.
      return number == generation ? [.close, .report(error)] + read() : []
    case .timer(let number, let timer):
      return number == generation ? rang(timer, now) : []
    case .alive(let number, let header):
      return number == generation ? answered(header, now) : []
    case .notAlive(let number, let error):
      return number == generation ? failed(error) : []
    }
  }

  // MARK: Reading

  private mutating func read() -> [Action] {
    generation += 1
    phase = .reading
    needsRead = true
    return [.read(generation)]
  }

  private mutating func took(_ snapshot: KeySnapshot, _ now: ContinuousClock.Instant) -> [Action] {
    guard phase == .reading else { return [] }
    var actions: [Action] = []
    var snapshot = snapshot
    if cluster != 0, snapshot.header.clusterID != cluster || snapshot.header.revision < position {
      era += 1
      snapshot.era = era
      actions = [.report(.replaced(namespace: namespace)), .beginEra]
    }
    cluster = snapshot.header.clusterID
    position = snapshot.header.revision
    needsRead = false
    return actions + [.apply(snapshot), .moved(position, position)] + open()
  }

  // MARK: Following

  private mutating func open() -> [Action] {
    generation += 1
    phase = .opening
    isAsking = false
    lastHeard = nil
    return [.open(generation, from: position + 1), .set(generation, .silence, after: patience)]
  }

  private mutating func received(_ message: WatchMessage, _ now: ContinuousClock.Instant) -> [Action] {
    guard isConnected else { return [] }
    lastHeard = now
    if message.isCanceled { return canceled(message) }
    // The message that explains why follows.
    if message.isCreated, message.watchID < 0 { return [] }
    if message.header.clusterID != 0, cluster != 0, message.header.clusterID != cluster { return [.close] + read() }
    if message.isCreated { return created(message) }
    var actions: [Action] = []
    if let last = message.events.last {
      actions.append(.deliver(message.events))
      position = max(position, last.entry.modRevision)
    } else {
      position = max(position, message.header.revision)
    }
    actions.append(.moved(position, max(position, message.header.revision)))
    // An idle watch is woken by notifications of progress only. Events come often enough to leave the timer alone.
    if message.events.isEmpty { actions.append(.set(generation, .silence, after: patience)) }
    return actions + (phase == .settling ? settled() : [])
  }

  private mutating func created(_ message: WatchMessage) -> [Action] {
    if message.header.revision < position {
      // The member is behind, or its cluster was restored. A read by the majority shows which.
      phase = .settling
      isAsking = true
      return [.ask(generation)]
    }
    if message.header.revision == position { return settled() }
    // Events that were missed follow at once, unless they have been compacted, which is notified soon.
    phase = .settling
    return [.set(generation, .settled, after: .milliseconds(300))]
  }

  private mutating func settled() -> [Action] {
    phase = .following
    pauses.reset()
    cancellations = 0
    defer { hasConnected = true }
    return (hasConnected ? [.reconnected] : []) + [.show(.current)]
  }

  private mutating func canceled(_ message: WatchMessage) -> [Action] {
    if message.compactRevision > 0 { return [.close, .show(.connecting)] + read() }
    cancellations += 1
    // The read renews the token if the old one was the reason, and finds out whether a permission is missing.
    if cancellations == 1 { return [.close] + read() }
    let isAboutPermission = message.cancelReason.isEmpty || message.cancelReason.contains("permission")
    return failed(
      isAboutPermission
        ? .forbidden(key: namespace, user: nil)
        : .refused(endpoint: namespace, code: 0, message: message.cancelReason))
  }

  // MARK: Failures

  private mutating func failed(_ error: ClusterError) -> [Action] {
    guard phase != .idle, phase != .waiting else { return [] }
    generation += 1
    phase = .waiting
    isAsking = false
    return [
      .close, .rotate, .show(.broken(error)), .report(error), .set(generation, .retry, after: pauses.next()),
    ]
  }

  private mutating func rang(_ timer: Timer, _ now: ContinuousClock.Instant) -> [Action] {
    switch timer {
    case .retry:
      guard phase == .waiting else { return [] }
      return needsRead || cancellations > 0 ? read() : open()
    case .settled:
      return phase == .settling && !isAsking ? settled() : []
    case .silence:
      guard isConnected else { return [] }
      let silent = lastHeard.map { $0.duration(to: now) } ?? patience
      if silent < patience { return [.set(generation, .silence, after: patience - silent)] }
      let again = Action.set(generation, .silence, after: patience)
      if isAsking { return [again] }
      isAsking = true
      return [.ask(generation), again]
    }
  }

  private mutating func answered(_ header: EtcdHeader, _ now: ContinuousClock.Instant) -> [Action] {
    guard isAsking else { return [] }
    isAsking = false
    if header.clusterID != cluster || header.revision < position { return [.close] + read() }
    // A member that is alive and has not opened the stream does not serve it.
    if phase == .opening { return failed(.unreachable(endpoints: [namespace], reason: "a watch was not opened")) }
    lastHeard = now
    return phase == .settling ? settled() : []
  }
}

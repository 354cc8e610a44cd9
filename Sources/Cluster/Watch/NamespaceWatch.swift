import Dispatch
import Foundation
import Signals

/// Follows the open keys of one namespace with one stream.
///
/// ```
///   stream ──▶ lines ──▶ messages ──▶ WatchMachine ──▶ actions ──▶ followers ──▶ subscribers
///                (all on a queue of the namespace's own, in order)
/// ```
final class NamespaceWatch: Sendable {
  let namespace: Namespace
  let client: EtcdClient

  /// The relation to the cluster: connecting, current or stale.
  let status = MutableProperty(SharedValueStatus<ClusterError>.connecting)
  let failures: FailureRelay<ClusterError>
  let metrics = MutableProperty(ClusterMetrics())

  struct State {
    var machine: WatchMachine
    var ranges = OpenRanges()
    var isReadingUnread = false
    /// The stream, its endpoint, and the bytes that have not been decoded.
    var stream: SignalSubscription?
    var endpoint: Endpoint?
    var lines: LineSplitter
    /// The timer of a silent stream, and the generation that it is set for.
    var silence: SilenceTimer?
    var silenceNumber = 0

    /// A Boolean value that indicates whether nothing is followed.
    var isUnused: Bool { ranges.isEmpty }
  }

  let state: Guarded<State>
  let queue = DispatchQueue(label: "org.signals.cluster", qos: .userInitiated)

  init(namespace: Namespace, client: EtcdClient) {
    self.namespace = namespace
    failures = FailureRelay(of: "EtcdCluster", namespace.name)
    self.client = client
    let options = client.options
    let pauses = EndpointPauses(options.backoff, endpoints: client.endpoints.count)
    state = Guarded(
      State(
        machine: WatchMachine(namespace: namespace.name, patience: options.patience, pauses: pauses),
        lines: LineSplitter(limit: options.maximumMessageSize)))
  }

  deinit {
    state.withLock { $0.stream.take() }?.cancel()
  }

  // MARK: Followers

  /// Follows a range of keys until the token is released.
  func follow(_ range: KeyRange, with follower: any RangeFollower) -> SignalSubscription {
    state.withLock { $0.ranges.add(follower, for: range) }
    post(.start)
    onQueue { $0.readUnread() }
    let identity = ObjectIdentifier(follower)
    return SignalSubscription { [self] in
      state.withLock { $0.ranges.remove(identity, for: range) }
      stopIfUnused()
    }
  }

  /// Ends the stream if nothing is followed any more.
  private func stopIfUnused() {
    guard state.withLock({ $0.isUnused }) else { return }
    // Not if something was opened before.
    onQueue { if $0.state.withLock({ $0.isUnused }) { $0.handle(.stop) } }
  }

  /// Applies a state that this process knows because it has just written or read the key.
  func apply(_ state: KeyState, to key: Data, era: Int) {
    let followers = self.state.withLock { $0.machine.era == era ? $0.ranges.followers(of: .key(key)) : [] }
    let entries = followers.isEmpty ? [] : state.entries(of: key)
    for follower in followers { follower.replace(with: entries, at: state.revision, era: era) }
  }

  /// The number of times that the revisions of the cluster have begun anew.
  var era: Int { state.withLock { $0.machine.era } }

  // MARK: Events

  func post(_ event: WatchMachine.Event) {
    onQueue { $0.handle(event) }
  }

  /// Runs a closure on the queue, unless this object has been released by then.
  func onQueue(_ body: @escaping @Sendable (NamespaceWatch) -> Void) {
    queue.async { [weak self] in if let self { body(self) } }
  }

  /// Handles an event; to be called on the queue.
  func handle(_ event: WatchMachine.Event) {
    let actions = state.withLock { $0.machine.handle(event, now: .now) }
    for action in actions { perform(action) }
  }

  private func perform(_ action: WatchMachine.Action) {
    switch action {
    case .read(let number): read(number)
    case .open(let number, let revision): open(number, from: revision)
    case .close: close()
    case .set(let number, let timer, let pause): set(timer, number, after: pause)
    case .ask(let number): ask(number)
    case .rotate: if let endpoint = state.withLock({ $0.endpoint }) { client.rotate(from: endpoint) }
    case .beginEra:
      for follower in state.withLock({ $0.ranges.all }) { follower.beginEra() }
    case .apply(let snapshot): apply(snapshot)
    case .deliver(let events): deliver(events)
    case .show(let connection): show(connection)
    case .report(let error): failures.send(error)
    case .moved(let position, let known):
      metrics.modify { ($0.revision, $0.lag) = (position, Swift.max(0, known - position)) }
    case .reconnected: metrics.modify { $0.reconnects += 1 }
    }
  }

  private func set(_ timer: WatchMachine.Timer, _ number: Int, after pause: Duration) {
    guard timer == .silence else {
      return queue.asyncAfter(deadline: .now() + pause.inSeconds) { [weak self] in self?.handle(.timer(number, timer)) }
    }
    let ring = { @Sendable [weak self] () -> Void in
      guard let self else { return }
      handle(.timer(state.withLock { $0.silenceNumber }, .silence))
    }
    let silence = state.withLock { state in
      state.silenceNumber = number
      let silence = state.silence ?? SilenceTimer(queue: queue, ring)
      state.silence = silence
      return silence
    }
    silence.set(after: pause)
  }

  private func show(_ connection: WatchMachine.ConnectionState) {
    let next: SharedValueStatus<ClusterError> =
      switch connection {
      case .connecting: .connecting
      case .current: .current
      case .broken(let error): .stale(error, after: status.value)
      }
    if next != status.value { status.value = next }
    // Keys that were opened while there was no connection.
    if connection == .current { readUnread() }
  }

  // MARK: Delivery

  func apply(_ snapshot: KeySnapshot) {
    for (range, entries) in snapshot.entries {
      for follower in state.withLock({ $0.ranges.followers(of: range) }) {
        follower.replace(with: entries, at: snapshot.header.revision, era: snapshot.era)
      }
    }
  }

  /// Delivers events; all events of one revision are one change.
  private func deliver(_ events: [WatchEvent]) {
    var rest = events[...]
    while let revision = rest.first?.entry.modRevision {
      let group = rest.prefix { $0.entry.modRevision == revision }
      rest = rest.dropFirst(group.count)
      let deliveries = state.withLock { $0.ranges.deliveries(of: group) }
      let deliver = {
        for (follower, events) in deliveries { follower.receive(events) }
      }
      if deliveries.count > 1 { batch(deliver) } else { deliver() }
    }
  }
}

/// A timer with a deadline that is moved while nothing else happens.
///
/// Moving the deadline replaces it. An idle connection whose member notifies progress is therefore never woken by it.
final class SilenceTimer: Sendable {
  private let source: Guarded<any DispatchSourceTimer>

  /// Creates a timer that calls a closure on a queue.
  init(queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler(handler: body)
    source.activate()
    self.source = Guarded(source)
  }

  deinit {
    source.withLock { $0.cancel() }
  }

  /// Sets the deadline, and forgets an earlier one.
  func set(after pause: Duration) {
    source.withLock { $0.schedule(deadline: .now() + pause.inSeconds) }
  }
}

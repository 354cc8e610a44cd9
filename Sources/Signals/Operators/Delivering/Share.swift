extension Signal {
  /// Shares one upstream subscription among all subscribers.
  ///
  /// - **Lifetime:** The first subscriber starts the upstream subscription. After the last subscriber has left, the
  ///   upstream subscription is cancelled at the time that `disconnection` determines. A later subscriber then starts a
  ///   new one, with nothing to replay. The upstream subscription is also cancelled when the shared signal is released;
  ///   a subscription keeps it alive.
  /// - **Replay:** A late subscriber receives the last values that were sent, at most `count`, and then every later
  ///   one, without gaps or repetition.
  /// - **Completion:** After the upstream has ended, it is not subscribed to again. New subscribers receive the
  ///   replayed values and the completion.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let source = Emitter<Int, Never>()
  /// let squares = source.map { number in
  ///   print("computing")
  ///   return number * number
  /// }.share(replay: 1)
  /// let first = squares.sink { print("first", $0) }
  /// source.send(3)
  /// // Prints "computing"
  /// // Prints "first 9"
  /// let second = squares.sink { print("second", $0) }  // Prints "second 9"
  /// ```
  ///
  /// Store the result of this method and let all subscribers use it. Each call returns a signal with an upstream
  /// subscription of its own.
  ///
  /// - Parameters:
  ///   - count: The number of values to replay to a late subscriber. The default, and the minimum, is 0.
  ///   - disconnection: The policy for cancelling the upstream subscription after the last subscriber has left. The
  ///     default is ``ShareDisconnection/immediately``.
  /// - Returns: A signal with one upstream subscription, however many subscribers it has.
  public func share(replay count: Int = 0, disconnecting disconnection: ShareDisconnection = .immediately)
    -> some Signal<Element, Failure>
  {
    SharedSignal(upstream: self, replay: Swift.max(0, count), disconnection: disconnection)
  }
}

/// A signal with one upstream subscription; the result of ``Signal/share(replay:disconnecting:)``.
@usableFromInline
final class SharedSignal<Upstream: Signal>: Signal, @unchecked Sendable {
  // Sound: the lock guards the mutable state.

  /// The values of the upstream signal.
  @usableFromInline typealias Element = Upstream.Element

  /// The error of the upstream signal.
  @usableFromInline typealias Failure = Upstream.Failure

  private let replay: Int
  private let disconnection: ShareDisconnection
  private let lock = Lock()

  /// The signal that is shared.
  ///
  /// It is released when it has ended, because every token keeps this object alive.
  private var upstream: Upstream?

  /// The state that the current subscribers share, from the first that joins to the last that leaves.
  private var round: ShareRound<Upstream>?

  init(upstream: Upstream, replay: Int, disconnection: ShareDisconnection) {
    (self.upstream, self.replay, self.disconnection) = (upstream, replay, disconnection)
  }

  deinit {
    // No other thread holds a reference any more, and no one can subscribe again.
    round?.upstreams.cancelAll()
    round?.pause?.cancel()
  }

  /// Attaches a subscriber and, if it is the first, subscribes to the upstream signal.
  ///
  /// - Parameter subscriber: The subscriber. It receives the replayed values, then every later value, then the
  ///   completion.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let (round, isFirst) = join()
    let subscription = round.core.subscribe(subscriber)
    subscription.bind(ShareMembership(of: self, in: round))
    admit(to: round)
    if isFirst { start(round) }
    return subscription
  }

  /// Adds a subscriber to the current round, or begins a round.
  @usableFromInline
  func join() -> (round: ShareRound<Upstream>, isFirst: Bool) {
    let (round, isFirst, pause) = lock.withLock { () -> (ShareRound<Upstream>, Bool, SignalSubscription?) in
      if let round = self.round {
        round.members += 1
        round.joined += 1
        return (round, false, round.pause.take())
      }
      let round = ShareRound(of: self, replay: replay)
      self.round = round
      return (round, true, nil)
    }
    pause?.cancel()
    return (round, isFirst)
  }

  /// Notes that a subscriber that has joined has been attached to the core.
  @usableFromInline
  func admit(to round: ShareRound<Upstream>) {
    lock.withLock { round.admitted += 1 }
  }

  @usableFromInline
  func start(_ round: ShareRound<Upstream>) {
    guard let upstream = lock.withLock({ upstream }) else { return }
    round.upstreams.add(upstream.subscribe(HubInput(round)))
  }

  /// Removes a subscriber from a round; the last one to leave cancels the upstream subscription, now or after a pause.
  fileprivate func leave(_ round: ShareRound<Upstream>) {
    let (joined, isCurrent) = lock.withLock {
      round.members -= 1
      return (round.joined, self.round === round && !round.hasEnded)
    }
    switch disconnection.kind {
    case .never where isCurrent: break
    case .after(let schedule) where isCurrent: pause(round, leftSince: joined, schedule)
    default: disconnect(round, ifLeftSince: joined)
    }
  }

  /// Disconnects a round after a pause, unless it has subscribers or one joins during the pause.
  private func pause(_ round: ShareRound<Upstream>, leftSince joined: Int, _ schedule: ShareDisconnection.Schedule) {
    guard lock.withLock({ isWaiting(round, since: joined) }) else { return }
    let pause = schedule { [weak self, weak round] in
      if let round { self?.disconnect(round, ifLeftSince: joined) }
    }
    let isKept = lock.withLock {
      guard isWaiting(round, since: joined) else { return false }
      round.pause = pause
      return true
    }
    if !isKept { pause.cancel() }
  }

  /// Returns a Boolean value that indicates whether the current round waits for subscribers.
  ///
  /// The caller holds the lock.
  private func isWaiting(_ round: ShareRound<Upstream>, since joined: Int) -> Bool {
    self.round === round && round.members == 0 && round.joined == joined && !round.hasEnded
  }

  /// Cancels the upstream subscription of a round, unless it has subscribers.
  private func disconnect(_ round: ShareRound<Upstream>, ifLeftSince joined: Int) {
    let (isOver, pause) = lock.withLock { () -> (Bool, SignalSubscription?) in
      guard round.members == 0, round.joined == joined else { return (false, nil) }
      if self.round === round, !round.hasEnded { self.round = nil }
      return (true, round.pause.take())
    }
    if isOver { round.upstreams.cancelAll() }
    pause?.cancel()
  }

  fileprivate func end(_ round: ShareRound<Upstream>, _ completion: SignalCompletion<Failure>) {
    let (released, pause) = lock.withLock { () -> (Upstream?, SignalSubscription?) in
      round.hasEnded = true
      // The end of a round that all subscribers have left must not end the next round.
      guard self.round === round else { return (nil, nil) }
      return (upstream.take(), round.pause.take())
    }
    round.core.end(completion)
    round.upstreams.cancelAll()
    pause?.cancel()
    // Not under the lock: the `deinit` of a captured value may run code.
    withExtendedLifetime(released) {}
  }

  /// Returns a Boolean value that indicates whether no subscriber of a round needs more values.
  ///
  /// If so, the next subscriber begins a new round.
  fileprivate func isDone(_ round: ShareRound<Upstream>) -> Bool {
    if round.upstreams.isCancelled { return true }
    if case .never = disconnection.kind { return false }
    // The core does not yet know subscribers that are still being attached. Its answer therefore counts only if all are
    // attached, and if none joins until it has answered. Without subscribers, the round waits for the next one until it
    // is disconnected.
    let current = lock.withLock { round.admitted == round.joined && round.members > 0 ? round.joined : nil }
    guard let joined = current else { return false }
    guard round.core.isDone else { return false }
    return lock.withLock {
      guard round.joined == joined else { return false }
      if self.round === round, !round.hasEnded { self.round = nil }
      return true
    }
  }
}

/// The state shared by the subscribers of a shared signal.
@usableFromInline
final class ShareRound<Upstream: Signal>: InputReceiver, @unchecked Sendable {
  // Sound: the lock of the shared signal guards the mutable state; the reference to it never changes.
  @usableFromInline let core: EmitterCore<Upstream.Element, Upstream.Failure>
  @usableFromInline let upstreams = Upstreams()

  /// The shared signal, which the members retain; without members, the upstream signal does not keep it alive.
  fileprivate weak var shared: SharedSignal<Upstream>?

  /// The number of subscribers, including any that are still being attached.
  fileprivate var members = 1

  /// The number of subscribers that have ever joined, including any that are still being attached.
  fileprivate var joined = 1

  /// The number of subscribers that have been attached to the core.
  fileprivate var admitted = 0

  fileprivate var hasEnded = false

  /// The timer that runs after the last subscriber has left.
  fileprivate var pause: SignalSubscription?

  fileprivate init(of shared: SharedSignal<Upstream>, replay: Int) {
    core = EmitterCore(replay: replay)
    self.shared = shared
  }

  @inlinable @inline(__always)
  func receive(_ value: Upstream.Element, from key: Void) {
    core.send(value)
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Upstream.Failure>, from key: Void) {
    shared?.end(self, completion)
  }

  @usableFromInline
  func isDone(_ key: Void) -> Bool { shared?.isDone(self) ?? true }
}

/// One subscriber's membership in a round.
@usableFromInline
final class ShareMembership<Upstream: Signal>: SubscriptionOwner, @unchecked Sendable {
  // Sound: the lock guards the mutable state.
  private let lock = Lock()
  private let shared: SharedSignal<Upstream>
  private var round: ShareRound<Upstream>?

  @usableFromInline
  init(of shared: SharedSignal<Upstream>, in round: ShareRound<Upstream>) {
    (self.shared, self.round) = (shared, round)
  }

  package override func cancel(_ subscription: SignalSubscription) {
    if let left = lock.withLock({ round.take() }) { shared.leave(left) }
  }
}

extension Signal {
  /// Shares one upstream subscription among all subscribers.
  ///
  /// - **Lifetime:** The first subscriber starts the upstream subscription, and the last one to leave cancels it. A
  ///   later subscriber starts a new one, with nothing to replay.
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
  /// Share the result of this method. Each call returns a signal with an upstream subscription of its own.
  ///
  /// - Parameter count: The number of values to replay to a late subscriber. The default, and the minimum, is 0.
  /// - Returns: A signal with one upstream subscription, however many subscribers it has.
  public func share(replay count: Int = 0) -> SharedSignal<Self> {
    SharedSignal(upstream: self, replay: Swift.max(0, count))
  }
}

/// A signal with one upstream subscription; the result of ``Signal/share(replay:)``.
public final class SharedSignal<Upstream: Signal>: Signal, @unchecked Sendable {
  // Sound: the lock guards the mutable state.

  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  private let replay: Int
  private let lock = Lock()

  /// The signal that is shared.
  ///
  /// It is released when it has ended, because every token keeps this object alive.
  private var upstream: Upstream?

  /// The state that the current subscribers share, from the first that joins to the last that leaves.
  private var round: ShareRound<Element, Failure>?

  init(upstream: Upstream, replay: Int) {
    self.upstream = upstream
    self.replay = replay
  }

  /// Attaches a subscriber and, if it is the first, subscribes to the upstream signal.
  ///
  /// - Parameter subscriber: The subscriber. It receives the replayed values, then every later value, then the
  ///   completion.
  /// - Returns: A token that cancels the subscription when it is released.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let (round, isFirst) = join()
    let subscription = round.core.subscribe(subscriber)
    subscription.bind(ShareMembership(of: self, in: round))
    admit(to: round)
    if isFirst { start(round) }
    return subscription
  }

  /// Adds a subscriber to the current round, or begins a round.
  @usableFromInline
  func join() -> (round: ShareRound<Element, Failure>, isFirst: Bool) {
    lock.withLock {
      if let round {
        round.members += 1
        round.joined += 1
        return (round, false)
      }
      let round = ShareRound<Element, Failure>(replay: replay)
      self.round = round
      return (round, true)
    }
  }

  /// Notes that a subscriber that has joined has been attached to the core.
  @usableFromInline
  func admit(to round: ShareRound<Element, Failure>) {
    lock.withLock { round.admitted += 1 }
  }

  @usableFromInline
  func start(_ round: ShareRound<Element, Failure>) {
    guard let upstream = lock.withLock({ upstream }) else { return }
    round.upstreams.add(upstream.subscribe(ShareStage(shared: self, round: round)))
  }

  /// Removes a subscriber from a round; the last one to leave cancels the upstream subscription.
  fileprivate func leave(_ round: ShareRound<Element, Failure>) {
    let isOver = lock.withLock {
      round.members -= 1
      guard round.members == 0 else { return false }
      if self.round === round, !round.hasEnded { self.round = nil }
      return true
    }
    if isOver { round.upstreams.cancelAll() }
  }

  @usableFromInline
  func end(_ round: ShareRound<Element, Failure>, _ completion: SignalCompletion<Failure>) {
    let released = lock.withLock { () -> Upstream? in
      round.hasEnded = true
      // The end of a round that all subscribers have left must not end the next round.
      guard self.round === round else { return nil }
      let released = upstream
      upstream = nil
      return released
    }
    round.core.end(completion)
    round.upstreams.cancelAll()
    // Not under the lock: the `deinit` of a captured value may run code.
    withExtendedLifetime(released) {}
  }

  /// Returns a Boolean value that indicates whether no subscriber of a round needs more values.
  ///
  /// If so, the next subscriber begins a new round.
  @usableFromInline
  func isDone(_ round: ShareRound<Element, Failure>) -> Bool {
    if round.upstreams.isCancelled { return true }
    // The core does not yet know subscribers that are still being attached. It must also be asked again if one has
    // joined since.
    guard let joined = lock.withLock({ round.admitted == round.joined ? round.joined : nil }) else { return false }
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
final class ShareRound<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // Sound: the lock of the shared signal guards the mutable state.
  @usableFromInline let core: EmitterCore<Element, Failure>
  @usableFromInline let upstreams = Upstreams()

  /// The number of subscribers, including any that are still being attached.
  fileprivate var members = 1

  /// The number of subscribers that have ever joined, including any that are still being attached.
  fileprivate var joined = 1

  /// The number of subscribers that have been attached to the core.
  fileprivate var admitted = 0

  fileprivate var hasEnded = false

  fileprivate init(replay: Int) {
    core = EmitterCore(replay: replay)
  }
}

/// One subscriber's membership in a round.
@usableFromInline
final class ShareMembership<Upstream: Signal>: SubscriptionOwner, @unchecked Sendable {
  // Sound: the lock guards the mutable state.
  private let lock = Lock()
  private let shared: SharedSignal<Upstream>
  private var round: ShareRound<Upstream.Element, Upstream.Failure>?

  @usableFromInline
  init(of shared: SharedSignal<Upstream>, in round: ShareRound<Upstream.Element, Upstream.Failure>) {
    self.shared = shared
    self.round = round
  }

  package override func cancel(_ subscription: SignalSubscription) {
    let left = lock.withLock {
      let left = round
      round = nil
      return left
    }
    if let left { shared.leave(left) }
  }
}

/// A subscriber that passes on what the upstream signal sends.
@usableFromInline
@frozen
struct ShareStage<Upstream: Signal>: SignalSubscriber {
  @usableFromInline typealias Element = Upstream.Element
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let shared: SharedSignal<Upstream>
  @usableFromInline let round: ShareRound<Element, Failure>

  @usableFromInline
  init(shared: SharedSignal<Upstream>, round: ShareRound<Element, Failure>) {
    self.shared = shared
    self.round = round
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    round.core.send(value)
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>) {
    shared.end(round, completion)
  }

  @usableFromInline
  var isDone: Bool { shared.isDone(round) }
}

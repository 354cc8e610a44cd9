extension Signal {
  /// Lets all subscribers share one subscription to this signal.
  ///
  /// The first subscriber makes the upstream subscription, and the last one to leave releases it; who comes after that
  /// starts anew, with nothing to replay. A late subscriber is given the last values that were sent, at most `count`,
  /// and then every later one, with no gap and no repetition. Once the upstream has ended, that is final: who comes
  /// then is given what is replayed and the end.
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
  /// Share the result, not the call: each call makes a signal with an upstream subscription of its own.
  ///
  /// - Parameter count: How many values a late subscriber is given; none unless given.
  /// - Returns: A signal with one upstream subscription, however many subscribe.
  public func share(replay count: Int = 0) -> SharedSignal<Self> {
    SharedSignal(upstream: self, replay: Swift.max(0, count))
  }
}

/// A signal with one upstream subscription; made by ``Signal/share(replay:)``.
public final class SharedSignal<Upstream: Signal>: Signal, @unchecked Sendable {
  // Sound: the mutable state is guarded by the lock.

  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  private let replay: Int
  private let lock = Lock()

  /// What is shared; let go of once it has ended, because who holds a token holds this signal.
  private var upstream: Upstream?

  /// What the present subscribers share, from the first to come until the last to leave.
  private var round: ShareRound<Element, Failure>?

  init(upstream: Upstream, replay: Int) {
    self.upstream = upstream
    self.replay = replay
  }

  /// Attaches a subscriber, and, if it is the first, subscribes to the upstream signal.
  ///
  /// - Parameter subscriber: Receives what is replayed, then every later value, then the completion.
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

  /// Counts one more subscriber in.
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

  /// Notes that a subscriber that was counted in has come to the core.
  @usableFromInline
  func admit(to round: ShareRound<Element, Failure>) {
    lock.withLock { round.admitted += 1 }
  }

  @usableFromInline
  func start(_ round: ShareRound<Element, Failure>) {
    guard let upstream = lock.withLock({ upstream }) else { return }
    round.upstreams.add(upstream.subscribe(ShareStage(shared: self, round: round)))
  }

  /// Counts a subscriber out; the last one to leave takes the upstream subscription along.
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
      // A round that everybody has left is not the end of the next one.
      guard self.round === round else { return nil }
      let released = upstream
      upstream = nil
      return released
    }
    round.core.end(completion)
    round.upstreams.cancelAll()
    // Not under the lock: what its closures captured may run code as it goes.
    withExtendedLifetime(released) {}
  }

  /// Whether nobody in a round takes values any more.
  ///
  /// If so, whoever comes now begins a new round.
  @usableFromInline
  func isDone(_ round: ShareRound<Element, Failure>) -> Bool {
    if round.upstreams.isCancelled { return true }
    // The core cannot be asked about one who is still on the way to it, nor has it been about one who came meanwhile.
    guard let joined = lock.withLock({ round.admitted == round.joined ? round.joined : nil }) else { return false }
    guard round.core.isDone else { return false }
    return lock.withLock {
      guard round.joined == joined else { return false }
      if self.round === round, !round.hasEnded { self.round = nil }
      return true
    }
  }
}

/// What those who subscribe to a shared signal share.
@usableFromInline
final class ShareRound<Element: Sendable, Failure: Error>: @unchecked Sendable {
  // Sound: the mutable state is guarded by the lock of the shared signal.
  @usableFromInline let core: EmitterCore<Element, Failure>
  @usableFromInline let upstreams = Upstreams()

  /// How many subscribers there are or are about to be.
  fileprivate var members = 1

  /// How many subscribers there have been, those on the way to the core included.
  fileprivate var joined = 1

  /// How many subscribers have come to the core.
  fileprivate var admitted = 0

  fileprivate var hasEnded = false

  fileprivate init(replay: Int) {
    core = EmitterCore(replay: replay)
  }
}

/// One subscriber's part in a round.
@usableFromInline
final class ShareMembership<Upstream: Signal>: SubscriptionOwner, @unchecked Sendable {
  // Sound: the mutable state is guarded by the lock.
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

/// Passes on what the upstream signal sends.
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

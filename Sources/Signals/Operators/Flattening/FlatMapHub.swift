import Synchronization

/// Where the inner signals of one subscription to a flattened signal meet.
///
/// Its core's turn makes one order of what they send, from whatever threads. Subscribing to them happens outside the
/// turn, by one thread at a time and in a loop, so that inner signals that end at once do not deepen the stack.
@usableFromInline
final class FlatMapHub<Value: Sendable, Inner: Signal>: SubscriptionOwner, @unchecked Sendable {
  // Sound: the mutable state is guarded by the lock.
  @usableFromInline let core = EmitterCore<Inner.Element, Inner.Failure>()
  private let limit: Int

  private let lock = Lock()
  private let isOver = Atomic<Bool>(false)

  /// Makes the inner signals; let go of at the end, because the token of the subscription holds the hub.
  private var transform: (@Sendable (Value) -> Inner)?
  private var outer: SignalSubscription?
  private var hasOuterEnded = false

  /// The values whose inner signals are still to be made.
  private var waiting = RingBuffer<Value>()
  private var tokens = TokenPlaces()

  /// How many inner signals have begun and not ended.
  private var running = 0

  /// Whether a thread is making inner signals, and will look for more to make before it stops.
  private var isStarting = false

  @usableFromInline
  init(limit: Int, transform: @escaping @Sendable (Value) -> Inner) {
    self.limit = limit
    self.transform = transform
  }

  /// Whether nobody takes values any more.
  @usableFromInline
  var isDone: Bool { isCancelled || core.isDone }

  private var isCancelled: Bool { isOver.load(ordering: .acquiring) }

  /// Keeps the token of the outer signal.
  @usableFromInline
  func keep(_ subscription: SignalSubscription) {
    let isKept = lock.withLock {
      if isCancelled { return false }
      outer = subscription
      return true
    }
    if !isKept { subscription.cancel() }
  }

  // MARK: Inner signals

  /// Lets a value wait for its inner signal to be made, which may be now.
  @usableFromInline
  func receive(_ value: Value) {
    let isOurs = lock.withLock {
      if isCancelled { return false }
      waiting.append(value)
      if isStarting { return false }
      isStarting = true
      return true
    }
    if isOurs { start() }
  }

  /// Makes inner signals as long as there are values and places; for the thread that set `isStarting`.
  private func start() {
    while let (value, transform, place) = lock.withLock({ nextToStart() }) {
      let inner = transform(value)
      // Cancelled by the closure, say.
      if isCancelled { continue }
      let token = inner.subscribe(FlatMapInner(hub: self, place: place))
      let dropped = lock.withLock { isCancelled ? token : tokens.fill(place, with: token) }
      dropped?.cancel()
    }
  }

  private func nextToStart() -> (Value, @Sendable (Value) -> Inner, Int)? {
    guard running < limit, let transform, let value = waiting.popFirst() else {
      isStarting = false
      return nil
    }
    running += 1
    return (value, transform, tokens.reserve())
  }

  // MARK: Ends

  @usableFromInline
  func receiveOuter(_ completion: SignalCompletion<Inner.Failure>) {
    if case .failure = completion { return end(completion) }
    let isLast = lock.withLock {
      hasOuterEnded = true
      return running == 0 && waiting.isEmpty
    }
    if isLast { end(.finished) }
  }

  @usableFromInline
  func receiveInner(_ completion: SignalCompletion<Inner.Failure>, at place: Int) {
    if case .failure = completion { return end(completion) }
    let (token, isLast, isOurs) = lock.withLock { () -> (SignalSubscription?, Bool, Bool) in
      if isCancelled { return (nil, false, false) }
      running -= 1
      let token = tokens.empty(place)
      let isOurs = !isStarting && !waiting.isEmpty
      if isOurs { isStarting = true }
      return (token, hasOuterEnded && running == 0 && waiting.isEmpty, isOurs)
    }
    token?.cancel()
    if isLast { end(.finished) }
    if isOurs { start() }
  }

  private func end(_ completion: SignalCompletion<Inner.Failure>) {
    cancelAll()
    core.end(completion)
  }

  private func cancelAll() {
    let released = lock.withLock {
      isOver.store(true, ordering: .releasing)
      let released = (outer: outer, tokens: tokens, waiting: waiting, transform: transform)
      outer = nil
      transform = nil
      tokens = TokenPlaces()
      waiting = RingBuffer()
      return released
    }
    released.outer?.cancel()
    released.tokens.cancelAll()
    // Released only now: a value, and what the closure captured, may run code as they go.
    withExtendedLifetime((released.waiting, released.transform)) {}
  }

  package override func cancel(_ subscription: SignalSubscription) {
    cancelAll()
  }
}

/// The tokens of inner signals, in places that are used over and over.
private struct TokenPlaces {
  private enum Place {
    case free
    /// The call that subscribes has not returned.
    case reserved
    case held(SignalSubscription)
    /// The signal has ended, before the call that subscribes has returned.
    case ended
  }

  private var places: [Place] = []
  private var free: [Int] = []

  /// Sets a place aside for a token to come.
  mutating func reserve() -> Int {
    if let place = free.popLast() {
      places[place] = .reserved
      return place
    }
    places.append(.reserved)
    return places.count - 1
  }

  /// Puts a token into its place, or returns it if its signal has ended.
  mutating func fill(_ place: Int, with token: SignalSubscription) -> SignalSubscription? {
    if case .ended = places[place] {
      release(place)
      return token
    }
    places[place] = .held(token)
    return nil
  }

  /// Frees the place of a signal that has ended, and returns the token that was there.
  mutating func empty(_ place: Int) -> SignalSubscription? {
    guard case .held(let token) = places[place] else {
      places[place] = .ended
      return nil
    }
    release(place)
    return token
  }

  private mutating func release(_ place: Int) {
    places[place] = .free
    free.append(place)
  }

  func cancelAll() {
    for case .held(let token) in places { token.cancel() }
  }
}

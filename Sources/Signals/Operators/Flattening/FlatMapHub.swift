import Synchronization

/// The object at which the inner signals of one subscription to a flattened signal meet.
///
/// The turn of its core puts their values into one order, whatever threads send them. Subscribing to inner signals
/// happens outside the turn, on one thread at a time and in a loop. Inner signals that end at once therefore do not
/// deepen the stack.
@usableFromInline
final class FlatMapHub<Value: Sendable, Inner: Signal>: SubscriptionOwner, FlatteningHub, @unchecked Sendable {
  // Sound: the lock guards the mutable state.
  @usableFromInline let core = EmitterCore<Inner.Element, Inner.Failure>()
  private let limit: Int

  /// A Boolean value that indicates whether values beyond the limit wait; if not, they are dropped.
  private let keepsExcess: Bool

  private let lock = Lock()
  private let isOver = Atomic<Bool>(false)

  /// The closure that creates the inner signals.
  ///
  /// It is released at the end, because the subscription's token keeps the hub alive.
  private var transform: (@Sendable (Value) -> Inner)?
  private var outer: SignalSubscription?
  private var hasOuterEnded = false

  /// The values whose inner signals have not been created yet.
  private var waiting = RingBuffer<Value>()
  private var tokens = TokenPlaces()

  /// The number of inner signals that have begun and have not ended.
  private var running = 0

  /// A Boolean value that indicates whether a thread is starting inner signals.
  ///
  /// It checks for waiting values before it stops.
  private var isStarting = false

  @usableFromInline
  init(limit: Int, keepsExcess: Bool = true, transform: @escaping @Sendable (Value) -> Inner) {
    (self.limit, self.keepsExcess, self.transform) = (limit, keepsExcess, transform)
  }

  /// A Boolean value that indicates whether the subscriber needs no more values.
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

  /// Adds a value to the queue, and starts its inner signal if possible.
  @usableFromInline
  func receive(outer value: Value) {
    let isOurs = lock.withLock {
      if isCancelled { return false }
      if !keepsExcess, running + waiting.count >= limit { return false }
      waiting.append(value)
      if isStarting { return false }
      isStarting = true
      return true
    }
    if isOurs { start() }
  }

  /// Starts inner signals as long as there are values and free slots.
  ///
  /// Only the thread that set `isStarting` calls this.
  private func start() {
    while let (value, transform, place) = lock.withLock({ nextToStart() }) {
      let inner = transform(value)
      // The closure may have cancelled the subscription.
      if isCancelled { continue }
      let token = inner.subscribe(HubInput(self, place))
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

  @inlinable @inline(__always)
  func receive(_ value: Inner.Element, from place: Int) {
    core.send(value)
  }

  @inlinable @inline(__always)
  func isDone(_ place: Int) -> Bool { isDone }

  // MARK: Completion

  @usableFromInline
  func receive(outerCompletion completion: SignalCompletion<Inner.Failure>) {
    if case .failure = completion { return end(completion) }
    let isLast = lock.withLock {
      hasOuterEnded = true
      return running == 0 && waiting.isEmpty
    }
    if isLast { end(.finished) }
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Inner.Failure>, from place: Int) {
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
      let inner = (tokens: exchange(&tokens, with: TokenPlaces()), waiting: exchange(&waiting, with: RingBuffer()))
      return (outer: outer.take(), inner: inner, transform: transform.take())
    }
    released.outer?.cancel()
    released.inner.tokens.cancelAll()
    // Released only now: the `deinit` of a value or of a capture may run code.
    withExtendedLifetime(released) {}
  }

  package override func cancel(_ subscription: SignalSubscription) {
    cancelAll()
  }
}

/// The tokens of the inner signals, in slots that are reused.
private struct TokenPlaces {
  private enum Place {
    case free
    /// The call that subscribes has not returned.
    case reserved
    case held(SignalSubscription)
    /// The signal ended before the call that subscribes returned.
    case ended
  }

  private var places: [Place] = []
  private var free: [Int] = []

  /// Reserves a slot for a token that is still to come.
  mutating func reserve() -> Int {
    if let place = free.popLast() {
      places[place] = .reserved
      return place
    }
    places.append(.reserved)
    return places.count - 1
  }

  /// Stores a token in its slot, or returns the token if its signal has already ended.
  mutating func fill(_ place: Int, with token: SignalSubscription) -> SignalSubscription? {
    if case .ended = places[place] {
      release(place)
      return token
    }
    places[place] = .held(token)
    return nil
  }

  /// Frees the slot of a signal that has ended, and returns the token that was in it.
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

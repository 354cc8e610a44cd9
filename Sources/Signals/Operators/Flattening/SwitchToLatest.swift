public import Synchronization

extension Signal where Element: Signal, Element.Failure == Failure {
  /// Sends the values of the latest inner signal.
  ///
  /// Each new inner signal cancels the previous one. After the switch, no value of the previous signal is delivered,
  /// not even one that another thread had already sent. The result finishes when this signal and the latest inner
  /// signal have finished, and fails as soon as one of them fails.
  ///
  /// - Returns: A signal of the values of the latest inner signal.
  @inlinable @inline(__always)
  public func switchToLatest() -> some Signal<Element.Element, Failure> {
    FlattenedSignal(self) { SwitchHub<Element>() }
  }
}

extension Signal {
  /// Transforms each value into a signal, and sends the values of the latest one.
  ///
  /// This method is equivalent to ``map(_:)`` followed by `switchToLatest()`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let celsius = MutableProperty(21)
  /// let fahrenheit = MutableProperty(70)
  /// let isMetric = MutableProperty(true)
  /// let shown = isMetric.flatMapLatest { $0 ? celsius : fahrenheit }
  /// let subscription = shown.sink { print($0) }  // Prints "21"
  /// isMetric.value = false  // Prints "70"
  /// celsius.value = 22
  /// fahrenheit.value = 72  // Prints "72"
  /// ```
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, and returns the
  ///   signal to switch to.
  /// - Returns: A signal of the values of the latest inner signal.
  @inlinable @inline(__always)
  public func flatMapLatest<Inner: Signal>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Failure> where Inner.Failure == Failure {
    map(transform).switchToLatest()
  }
}

extension Signal where Failure == Never, Element: Signal {
  /// Sends the values of the latest inner signal, if the inner signals can fail and this one cannot.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `switchToLatest()`.
  ///
  /// - Returns: A signal of the values of the latest inner signal.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func switchToLatest() -> some Signal<Element.Element, Element.Failure> {
    setFailureType(to: Element.Failure.self).switchToLatest()
  }
}

extension Signal where Failure == Never {
  /// Transforms each value of this signal, which cannot fail, into a signal that can, and sends the values of the
  /// latest one.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `flatMapLatest(_:)`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct Offline: Error {}
  /// let query = Emitter<String, Never>()
  /// let results = query.flatMapLatest { text in
  ///   text.isEmpty ? AnySignal<Int, Offline>.fail(Offline()) : .just(text.count)
  /// }
  /// let subscription = results.replaceError(with: 0).sink { print($0) }
  /// query.send("cat")  // Prints "3"
  /// query.send("")  // Prints "0"
  /// ```
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, and returns the
  ///   signal to switch to.
  /// - Returns: A signal of the values of the latest inner signal.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func flatMapLatest<Inner: Signal>(
    _ transform: @escaping @Sendable (Element) -> Inner
  ) -> some Signal<Inner.Element, Inner.Failure> {
    setFailureType(to: Inner.Failure.self).flatMapLatest(transform)
  }
}

/// The object at which the inner signals of one subscription to a switched signal meet.
///
/// A switch changes the number of the current inner signal at once. A value of an older one is dropped when its turn to
/// be delivered comes.
@usableFromInline
final class SwitchHub<Inner: Signal>: SubscriptionOwner, FlatteningHub, @unchecked Sendable {
  // Sound: the mutable state is atomic or guarded by the lock.
  @usableFromInline let core = EmitterCore<Inner.Element, Inner.Failure>()

  /// The subscription to the signal of signals.
  @usableFromInline let upstreams = Upstreams()

  /// The number of the current inner signal.
  @usableFromInline let current = Atomic<Int>(0)

  private let lock = Lock()
  private var token: SignalSubscription?
  private var isRunning = false
  private var hasOuterEnded = false

  @usableFromInline
  override init() {}

  @inlinable @inline(__always)
  func isCurrent(_ number: Int) -> Bool { current.load(ordering: .acquiring) == number }

  /// Cancels the current inner signal and subscribes to the next.
  ///
  /// Only the outer signal calls this, never concurrently.
  @usableFromInline
  func receive(outer inner: Inner) {
    guard !upstreams.isCancelled else { return }
    let (number, replaced) = lock.withLock {
      isRunning = true
      return (current.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue, token.take())
    }
    replaced?.cancel()
    let subscription = inner.subscribe(HubInput(self, number))
    let isKept = lock.withLock {
      guard !upstreams.isCancelled, isRunning, isCurrent(number) else { return false }
      token = subscription
      return true
    }
    if !isKept { subscription.cancel() }
  }

  @inlinable @inline(__always)
  func receive(_ value: Inner.Element, from number: Int) {
    core.withTurn { [self] in if isCurrent(number) { core.deliver(value) } }
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Inner.Failure>, from number: Int) {
    if case .failure = completion {
      return core.withTurn { [self] in if isCurrent(number) { end(completion) } }
    }
    let (released, isLast) = lock.withLock {
      guard isCurrent(number) else { return (SignalSubscription?.none, false) }
      isRunning = false
      return (token.take(), hasOuterEnded)
    }
    released?.cancel()
    if isLast { core.withTurn { [self] in end(.finished) } }
  }

  @inlinable @inline(__always)
  func isDone(_ number: Int) -> Bool { !isCurrent(number) || isDone }

  @inlinable @inline(__always)
  var isDone: Bool { upstreams.isCancelled || core.isDone }

  @inlinable @inline(__always)
  func keep(_ subscription: SignalSubscription) {
    upstreams.add(subscription)
  }

  @usableFromInline
  func receive(outerCompletion completion: SignalCompletion<Inner.Failure>) {
    let isLast = lock.withLock {
      hasOuterEnded = true
      return !isRunning
    }
    if case .finished = completion, !isLast { return }
    core.withTurn { [self] in end(completion) }
  }

  /// Ends the signal.
  ///
  /// The caller holds the turn.
  private func end(_ completion: SignalCompletion<Inner.Failure>) {
    cancelAll()
    core.finish(completion)
  }

  private func cancelAll() {
    upstreams.cancelAll()
    lock.withLock { token.take() }?.cancel()
  }

  package override func cancel(_ subscription: SignalSubscription) {
    cancelAll()
  }
}

import Synchronization

extension Signal {
  /// Calls closures when events occur, without changing the events.
  ///
  /// Each closure runs before the event is passed on, on the thread on which the event occurs.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that is called when a subscriber attaches, before it receives anything.
  ///   - receiveOutput: A closure that is called with each value.
  ///   - receiveCompletion: A closure that is called once, if the signal ends.
  ///   - receiveCancel: A closure that is called once, if the subscription is cancelled before the signal has ended.
  /// - Returns: A signal that sends the same values.
  public func handleEvents(
    receiveSubscription: (@Sendable () -> Void)? = nil,
    receiveOutput: (@Sendable (Element) -> Void)? = nil,
    receiveCompletion: (@Sendable (SignalCompletion<Failure>) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil
  ) -> some Signal<Element, Failure> {
    HandleEventsSignal(
      upstream: self,
      events: SignalEvents(
        receiveSubscription: receiveSubscription,
        receiveOutput: receiveOutput,
        receiveCompletion: receiveCompletion,
        receiveCancel: receiveCancel
      )
    )
  }
}

/// A signal that calls closures when events occur; the result of
/// ``Signal/handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:)``.
@usableFromInline
struct HandleEventsSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  @usableFromInline typealias Element = Upstream.Element

  /// The error of the upstream signal.
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let events: SignalEvents<Element, Failure>

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    events.receiveSubscription?()
    let watch = EventWatch(receiveCancel: events.receiveCancel)
    watch.upstreams.add(upstream.subscribe(HandleEventsStage(downstream: subscriber, events: events, watch: watch)))
    return SignalSubscription(owner: watch)
  }
}

/// The closures to call for each kind of event.
@usableFromInline
struct SignalEvents<Element: Sendable, Failure: Error>: Sendable {
  @usableFromInline let receiveSubscription: (@Sendable () -> Void)?
  @usableFromInline let receiveOutput: (@Sendable (Element) -> Void)?
  @usableFromInline let receiveCompletion: (@Sendable (SignalCompletion<Failure>) -> Void)?
  @usableFromInline let receiveCancel: (@Sendable () -> Void)?
}

/// An object that records whether the signal ended or the subscription was cancelled first.
@usableFromInline
final class EventWatch: SubscriptionOwner, @unchecked Sendable {
  // Sound: the closure belongs to the thread that records the end; the rest is atomic.
  @usableFromInline let upstreams = Upstreams()
  private let isOver = Atomic<Bool>(false)

  /// The closure for a cancellation.
  ///
  /// It is released at the end, because the subscription's token keeps the watch alive.
  private var receiveCancel: (@Sendable () -> Void)?

  @usableFromInline
  init(receiveCancel: (@Sendable () -> Void)?) {
    self.receiveCancel = receiveCancel
  }

  /// A Boolean value that indicates whether the signal has ended or the subscription was cancelled.
  @usableFromInline
  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Records the end, and returns `false` if it was already recorded.
  @usableFromInline
  func end() -> Bool {
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    receiveCancel = nil
    return true
  }

  package override func cancel(_ subscription: SignalSubscription) {
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { receiveCancel.take()?() }
    upstreams.cancelAll()
  }
}

@usableFromInline
struct HandleEventsStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let events: SignalEvents<Downstream.Element, Downstream.Failure>
  @usableFromInline let watch: EventWatch

  @usableFromInline
  init(downstream: Downstream, events: SignalEvents<Downstream.Element, Downstream.Failure>, watch: EventWatch) {
    (self.downstream, self.events, self.watch) = (downstream, events, watch)
  }

  @inlinable
  func receive(_ value: Downstream.Element) {
    guard !watch.hasEnded else { return }
    events.receiveOutput?(value)
    // The closure may have cancelled the subscription.
    if !watch.hasEnded { downstream.receive(value) }
  }

  @inlinable
  func receive(completion: SignalCompletion<Downstream.Failure>) {
    guard watch.end() else { return }
    events.receiveCompletion?(completion)
    if !watch.upstreams.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable
  var isDone: Bool { watch.hasEnded || downstream.isDone }
}

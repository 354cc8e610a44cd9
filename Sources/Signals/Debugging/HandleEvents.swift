import Synchronization

extension Signal {
  /// Calls closures when something happens, and changes nothing.
  ///
  /// Each closure runs before the event goes on, on the thread that it happens on.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Called when a subscriber attaches, before it gets anything.
  ///   - receiveOutput: Called with each value.
  ///   - receiveCompletion: Called once, if the signal ends.
  ///   - receiveCancel: Called once, if the subscription is cancelled before the signal has ended.
  /// - Returns: A signal that sends the same values.
  public func handleEvents(
    receiveSubscription: (@Sendable () -> Void)? = nil,
    receiveOutput: (@Sendable (Element) -> Void)? = nil,
    receiveCompletion: (@Sendable (SignalCompletion<Failure>) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil
  ) -> HandleEventsSignal<Self> {
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

/// A signal that tells of what happens; made by
/// ``Signal/handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:)``.
public struct HandleEventsSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let events: SignalEvents<Element, Failure>

  init(upstream: Upstream, events: SignalEvents<Element, Failure>) {
    self.upstream = upstream
    self.events = events
  }

  /// Attaches a subscriber to the upstream signal, behind the closures.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    events.receiveSubscription?()
    let watch = EventWatch(receiveCancel: events.receiveCancel)
    watch.upstreams.add(upstream.subscribe(HandleEventsStage(downstream: subscriber, events: events, watch: watch)))
    return SignalSubscription(owner: watch)
  }
}

/// What to call when.
@usableFromInline
struct SignalEvents<Element: Sendable, Failure: Error>: Sendable {
  @usableFromInline let receiveSubscription: (@Sendable () -> Void)?
  @usableFromInline let receiveOutput: (@Sendable (Element) -> Void)?
  @usableFromInline let receiveCompletion: (@Sendable (SignalCompletion<Failure>) -> Void)?
  @usableFromInline let receiveCancel: (@Sendable () -> Void)?

  init(
    receiveSubscription: (@Sendable () -> Void)?,
    receiveOutput: (@Sendable (Element) -> Void)?,
    receiveCompletion: (@Sendable (SignalCompletion<Failure>) -> Void)?,
    receiveCancel: (@Sendable () -> Void)?
  ) {
    self.receiveSubscription = receiveSubscription
    self.receiveOutput = receiveOutput
    self.receiveCompletion = receiveCompletion
    self.receiveCancel = receiveCancel
  }
}

/// Knows whether a subscription was cancelled or had ended before.
@usableFromInline
final class EventWatch: SubscriptionOwner, @unchecked Sendable {
  // Sound: the closure belongs to the one that notes the end; the rest is atomic.
  @usableFromInline let upstreams = Upstreams()
  private let isOver = Atomic<Bool>(false)

  /// Let go of at the end, because the token of the subscription holds the watch.
  private var receiveCancel: (@Sendable () -> Void)?

  @usableFromInline
  init(receiveCancel: (@Sendable () -> Void)?) {
    self.receiveCancel = receiveCancel
  }

  /// Whether the signal has ended or the subscription was cancelled.
  @usableFromInline
  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Notes the end; answers whether there was none before.
  @usableFromInline
  func end() -> Bool {
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    _ = takeCancel()
    return true
  }

  private func takeCancel() -> (@Sendable () -> Void)? {
    let taken = receiveCancel
    receiveCancel = nil
    return taken
  }

  package override func cancel(_ subscription: SignalSubscription) {
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { takeCancel()?() }
    upstreams.cancelAll()
  }
}

@usableFromInline
struct HandleEventsStage<Downstream: SignalSubscriber>: SignalSubscriber {
  @usableFromInline typealias Element = Downstream.Element
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let events: SignalEvents<Element, Failure>
  @usableFromInline let watch: EventWatch

  @usableFromInline
  init(downstream: Downstream, events: SignalEvents<Element, Failure>, watch: EventWatch) {
    self.downstream = downstream
    self.events = events
    self.watch = watch
  }

  @inlinable
  func receive(_ value: Element) {
    guard !watch.hasEnded else { return }
    events.receiveOutput?(value)
    // The closure may have cancelled.
    if !watch.hasEnded { downstream.receive(value) }
  }

  @inlinable
  func receive(completion: SignalCompletion<Failure>) {
    guard watch.end() else { return }
    events.receiveCompletion?(completion)
    if !watch.upstreams.isCancelled { downstream.receive(completion: completion) }
  }

  @inlinable
  var isDone: Bool { watch.hasEnded || downstream.isDone }
}

#if canImport(Combine)
  public import Combine

  extension Signal {
    /// The values as a Combine publisher.
    ///
    /// Each subscriber gets all values, in order. Those that it has not asked for yet wait for it, so that nothing is
    /// lost; memory grows while it asks for fewer than come.
    ///
    /// <!-- not compiled -->
    /// ```swift
    /// let level = MutableProperty(1)
    /// let cancellable = level.publisher.map { "\($0) %" }.sink { print($0) }
    /// ```
    public var publisher: SignalPublisher<Self> { SignalPublisher(self) }
  }

  /// A Combine publisher of what a signal sends; made by ``Signal/publisher``.
  public struct SignalPublisher<Upstream: Signal>: Publisher, Sendable {
    /// The values of the signal.
    public typealias Output = Upstream.Element

    /// The error of the signal.
    public typealias Failure = Upstream.Failure

    private let signal: Upstream

    /// Makes a publisher of what a signal sends.
    ///
    /// - Parameter signal: What each subscriber is attached to.
    public init(_ signal: Upstream) {
      self.signal = signal
    }

    /// Attaches a subscriber of Combine's to the signal.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let outlet = PublisherOutlet(to: subscriber)
      subscriber.receive(subscription: outlet)
      outlet.open(signal)
    }
  }

  /// Where one subscriber's values go out to Combine, as fast as it asks for them.
  private final class PublisherOutlet<Downstream: Subscriber>: Subscription, @unchecked Sendable
  where Downstream.Input: Sendable {
    // Sound: the state is guarded by the lock, and whoever has set `isDelivering` is alone in calling the subscriber.

    /// What goes to the subscriber; it is released outside the lock.
    private enum Delivery {
      case value(Downstream.Input, Downstream)
      case completion(SignalCompletion<Downstream.Failure>, Downstream)
    }

    private let lock = Lock()
    private var downstream: Downstream?
    private var upstream: SignalSubscription?
    private var demand = Subscribers.Demand.none
    private var waiting = RingBuffer<Downstream.Input>()
    private var completion: SignalCompletion<Downstream.Failure>?
    private var isDelivering = false

    init(to downstream: Downstream) {
      self.downstream = downstream
    }

    func open(_ signal: some Signal<Downstream.Input, Downstream.Failure>) {
      if isOver { return }
      let subscription = signal.subscribe(OutletStage(outlet: self))
      let isWanted = lock.withLock {
        guard downstream != nil else { return false }
        upstream = subscription
        return true
      }
      if !isWanted { subscription.cancel() }
    }

    var isOver: Bool { lock.withLock { downstream == nil } }

    func put(_ value: Downstream.Input) {
      lock.withLock { if downstream != nil { waiting.append(value) } }
      deliver()
    }

    func end(_ completion: SignalCompletion<Downstream.Failure>) {
      lock.withLock { self.completion = completion }
      deliver()
    }

    func request(_ demand: Subscribers.Demand) {
      lock.withLock { self.demand += demand }
      deliver()
    }

    /// Gives the subscriber what waits and what it has asked for, unless that is under way.
    private func deliver() {
      let isOurs = lock.withLock {
        defer { isDelivering = true }
        return !isDelivering
      }
      guard isOurs else { return }
      while let delivery = lock.withLock({ next() }) {
        switch delivery {
        case .value(let value, let downstream):
          let more = downstream.receive(value)
          lock.withLock { demand += more }
        case .completion(.finished, let downstream):
          cancel()
          downstream.receive(completion: .finished)
        case .completion(.failure(let error), let downstream):
          cancel()
          downstream.receive(completion: .failure(error))
        }
      }
    }

    /// What is to be delivered now, if anything; otherwise the delivery is over.
    ///
    /// To be called with the lock held.
    private func next() -> Delivery? {
      if let downstream {
        if demand > .none, let value = waiting.popFirst() {
          demand -= 1
          return .value(value, downstream)
        }
        if waiting.isEmpty, let completion { return .completion(completion, downstream) }
      }
      isDelivering = false
      return nil
    }

    /// Drops what waits, and lets go of both sides.
    func cancel() {
      let released = lock.withLock {
        let released = (downstream.take(), upstream.take(), waiting)
        waiting = RingBuffer()
        return released
      }
      released.1?.cancel()
      withExtendedLifetime(released) {}
    }
  }

  /// Hands what it receives to an outlet.
  private struct OutletStage<Downstream: Subscriber>: SignalSubscriber where Downstream.Input: Sendable {
    let outlet: PublisherOutlet<Downstream>

    func receive(_ value: Downstream.Input) {
      outlet.put(value)
    }

    func receive(completion: SignalCompletion<Downstream.Failure>) {
      outlet.end(completion)
    }

    var isDone: Bool { outlet.isOver }
  }
#endif

#if canImport(Combine)
  public import Combine

  extension Signal {
    /// A Combine publisher of the values.
    ///
    /// Each subscriber receives all values, in order. Values beyond its demand wait in memory, so none is lost. Memory
    /// grows while values arrive faster than the subscriber requests them.
    ///
    /// <!-- not compiled -->
    /// ```swift
    /// let level = MutableProperty(1)
    /// let cancellable = level.publisher.map { "\($0) %" }.sink { print($0) }
    /// ```
    public var publisher: SignalPublisher<Self> { SignalPublisher(self) }
  }

  /// A Combine publisher of the values of a signal; the result of ``Signal/publisher``.
  public struct SignalPublisher<Upstream: Signal>: Publisher, Sendable {
    /// The type of the values that the signal sends.
    public typealias Output = Upstream.Element

    /// The type of the error of the signal.
    public typealias Failure = Upstream.Failure

    private let signal: Upstream

    /// Creates a publisher of the values of a signal.
    ///
    /// - Parameter signal: The signal to which each subscriber is attached.
    public init(_ signal: Upstream) {
      self.signal = signal
    }

    /// Attaches a Combine subscriber to the signal.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let outlet = PublisherOutlet(to: subscriber)
      subscriber.receive(subscription: outlet)
      outlet.open(signal)
    }
  }

  /// A Combine subscription that delivers values to one subscriber according to its demand.
  private final class PublisherOutlet<Downstream: Subscriber>: Subscription, InputReceiver, @unchecked Sendable
  where Downstream.Input: Sendable {
    // Sound: the lock guards the state, and only the thread that set `isDelivering` calls the subscriber.

    /// A message for the subscriber, which is released outside the lock.
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
      if isDone(()) { return }
      let subscription = signal.subscribe(HubInput(self))
      let isWanted = lock.withLock {
        guard downstream != nil else { return false }
        upstream = subscription
        return true
      }
      if !isWanted { subscription.cancel() }
    }

    func isDone(_ key: Void) -> Bool { lock.withLock { downstream == nil } }

    func receive(_ value: Downstream.Input, from key: Void) {
      lock.withLock { if downstream != nil { waiting.append(value) } }
      deliver()
    }

    func receive(completion: SignalCompletion<Downstream.Failure>, from key: Void) {
      lock.withLock { self.completion = completion }
      deliver()
    }

    func request(_ demand: Subscribers.Demand) {
      lock.withLock { self.demand += demand }
      deliver()
    }

    /// Delivers the waiting values up to the demand, unless a delivery is in progress.
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

    /// Returns the next message to deliver, or `nil` if the delivery is complete.
    ///
    /// The caller holds the lock.
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

    /// Drops the waiting values, and releases the subscriber and the signal.
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
#endif

#if canImport(Combine)
  public import Combine
  import Synchronization

  extension Publisher where Output: Sendable {
    /// What the publisher publishes, as a signal.
    ///
    /// Each subscription subscribes to the publisher anew, and asks for everything it has. It is cancelled with the
    /// token, and by an operator such as ``Signal/prefix(_:)`` once it has enough.
    ///
    /// A signal may be subscribed to from any thread, which Combine allows with every publisher, although the compiler
    /// cannot check it: take care that the closures of the publisher's own operators may run on any thread too.
    ///
    /// <!-- not compiled -->
    /// ```swift
    /// let titles = PassthroughSubject<String, Never>()
    /// let subscription = titles.signal.removeDuplicates().sink { print($0) }
    /// ```
    public var signal: PublisherSignal<Self> { PublisherSignal(self) }
  }

  /// A signal of what a publisher publishes; made by `Publisher.signal`.
  public struct PublisherSignal<Upstream: Publisher>: Signal, @unchecked Sendable where Upstream.Output: Sendable {
    // Sound: Combine allows any thread to subscribe to a publisher.

    /// What the publisher publishes.
    public typealias Element = Upstream.Output

    /// The error of the publisher.
    public typealias Failure = Upstream.Failure

    private let publisher: Upstream

    /// Makes a signal of what a publisher publishes.
    ///
    /// - Parameter publisher: What each subscription subscribes to.
    public init(_ publisher: Upstream) {
      self.publisher = publisher
    }

    /// Subscribes to the publisher for a subscriber.
    public func subscribe<Downstream: SignalSubscriber<Element, Failure>>(
      _ subscriber: Downstream
    ) -> SignalSubscription {
      let inlet = PublisherInlet<Element, Failure>()
      let subscription = inlet.core.subscribe(subscriber)
      subscription.bind(inlet)
      publisher.subscribe(inlet)
      inlet.isOpening.store(false, ordering: .relaxed)
      return subscription
    }
  }

  /// Where one subscription's values come in from Combine.
  private final class PublisherInlet<Input: Sendable, Failure: Error>: SubscriptionOwner, Subscriber,
    @unchecked Sendable
  {
    // Sound: the state is guarded by the lock.
    let core = EmitterCore<Input, Failure>()

    /// Whether the publisher is still being subscribed to, so that the token cannot have been cancelled.
    let isOpening = Atomic<Bool>(true)

    private let lock = Lock()
    private var upstream: (any Subscription)?
    private var isOver = false

    func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard !isOver, upstream == nil else { return false }
        upstream = subscription
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      core.send(input)
      if isOpening.load(ordering: .relaxed), core.isDone { close()?.cancel() }
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      _ = close()
      switch completion {
      case .finished: core.end(.finished)
      case .failure(let error): core.end(.failure(error))
      }
    }

    /// Lets go of the publisher.
    private func close() -> (any Subscription)? {
      lock.withLock {
        isOver = true
        return upstream.take()
      }
    }

    package override func cancel(_ subscription: SignalSubscription) {
      close()?.cancel()
    }
  }
#endif

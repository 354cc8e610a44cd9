#if canImport(Combine)
  public import Combine
  import Synchronization

  extension Publisher where Output: Sendable {
    /// A signal of the values of the publisher.
    ///
    /// Each subscription subscribes to the publisher separately, with unlimited demand. The Combine subscription is
    /// cancelled with the token, or by an operator such as ``Signal/prefix(_:)`` after its last value.
    ///
    /// A signal may be subscribed to on any thread. Combine allows this for every publisher, but the compiler cannot
    /// check it. Make sure that the closures of the publisher's own operators may run on any thread, too.
    ///
    /// <!-- not compiled -->
    /// ```swift
    /// let titles = PassthroughSubject<String, Never>()
    /// let subscription = titles.signal.removeDuplicates().sink { print($0) }
    /// ```
    public var signal: PublisherSignal<Self> { PublisherSignal(self) }
  }

  /// A signal of the values of a publisher; the result of `Publisher.signal`.
  public struct PublisherSignal<Upstream: Publisher>: Signal, @unchecked Sendable where Upstream.Output: Sendable {
    // Sound: Combine allows any thread to subscribe to a publisher.

    /// The type of the values that the publisher sends.
    public typealias Element = Upstream.Output

    /// The type of the error of the publisher.
    public typealias Failure = Upstream.Failure

    private let publisher: Upstream

    /// Creates a signal of the values of a publisher.
    ///
    /// - Parameter publisher: The publisher to which each subscription subscribes.
    public init(_ publisher: Upstream) {
      self.publisher = publisher
    }

    /// Subscribes to the publisher on behalf of a subscriber.
    public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
      let inlet = PublisherInlet<Element, Failure>()
      let subscription = inlet.core.subscribe(subscriber)
      subscription.bind(inlet)
      publisher.subscribe(inlet)
      inlet.isOpening.store(false, ordering: .relaxed)
      return subscription
    }
  }

  /// A Combine subscriber that receives the values of one subscription.
  private final class PublisherInlet<Input: Sendable, Failure: Error>: SubscriptionOwner, Subscriber,
    @unchecked Sendable
  {
    // Sound: the lock guards the state.
    let core = EmitterCore<Input, Failure>()

    /// A Boolean value that indicates whether the call that subscribes is still running, so that the token cannot have
    /// been cancelled.
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

    /// Releases the publisher's subscription, and returns it if it must be cancelled.
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

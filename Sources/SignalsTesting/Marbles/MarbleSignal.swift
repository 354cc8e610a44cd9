public import Signals

/// A signal that sends the events of a marble diagram; created by ``Marbles``.
public struct MarbleSignal<Failure: Error>: Signal {
  /// The type of the values, which are the texts of the diagram.
  public typealias Element = String

  private let attach: @Sendable (EmitterCore<String, Failure>, SignalSubscription) -> Void
  private let shared: EmitterCore<String, Failure>?

  /// Creates a signal that begins at once and is shared by all subscribers.
  init(hot diagram: MarbleDiagram, on clock: TestClock, failure: Failure?, tokens: Upstreams) {
    let core = EmitterCore<String, Failure>()
    diagram.schedule(on: clock, into: core, failure: failure, tokens: tokens)
    shared = core
    attach = { _, _ in }
  }

  /// Creates a signal that starts from the beginning for each subscriber.
  init(cold diagram: MarbleDiagram, on clock: TestClock, failure: Failure?) {
    shared = nil
    attach = { core, subscription in
      let tokens = Upstreams()
      subscription.bind(tokens)
      diagram.schedule(on: clock, into: core, failure: failure, tokens: tokens)
    }
  }

  /// Attaches a subscriber.
  ///
  /// It receives the events of the diagram from now on or, if the signal is cold, all of them.
  public func subscribe(_ subscriber: some SignalSubscriber<String, Failure>) -> SignalSubscription {
    let core = shared ?? EmitterCore()
    let subscription = core.subscribe(subscriber)
    attach(core, subscription)
    return subscription
  }
}

extension MarbleDiagram {
  /// Schedules all events with the clock.
  ///
  /// The diagram's first second is the current instant.
  fileprivate func schedule<Failure>(
    on clock: TestClock, into core: EmitterCore<String, Failure>, failure: Failure?, tokens: Upstreams
  ) {
    let start = clock.now
    for (second, event) in events {
      let token = clock.schedule(at: start.advanced(by: .seconds(second))) {
        switch event {
        case .value(let value): core.send(value)
        case .finished: core.end(.finished)
        case .failed: core.end(failure.map { .failure($0) } ?? .finished)
        }
      }
      tokens.add(token)
    }
  }
}

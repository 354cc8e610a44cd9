public import FileSignals
import Foundation
public import Signals

/// The events of a log, for one consumer: those it has not had yet, and then each as it is appended.
///
/// It is a signal; made by ``AppGroupsLog/events(for:startingAt:includingOwn:acknowledgement:)`` for a consumer whose
/// place is kept, or by ``AppGroupsLog/newEvents(includingOwn:)``. Reading begins with the first subscription, and ends
/// with the last; what was not handled by then waits for the next.
///
/// - **Order.** The events of one producer come in the order in which it appended them. Of those of several producers
///   that wait at the same time, the earlier comes first.
/// - **At least once.** An event that was handled is not given out again by this object; after a crash, those of the
///   last fraction of a second may be, in this process or another, with the same ``LogEntry/id``.
/// - **Several subscribers** share the consumer's place: who joins later gets the events from then on. A consumer that
///   needs all events to itself takes a name of its own.
/// - **Threads.** Subscribers are called on a queue of this object's own, one event at a time. A slow subscriber, or a
///   loop that does not ask for more, holds up the others of the same object, and no one else: the log is its buffer,
///   read in small pieces. Give each a consumer, or an object of ``AppGroupsLog/newEvents(includingOwn:)``, of its own.
public final class LogEvents<Event: Codable & Sendable>: Signal {
  /// An event with its identity and its date.
  public typealias Element = LogEntry<Event>

  /// A log does not end; what is wrong with it is told by ``failures``.
  public typealias Failure = Never

  let feed: LogFeed

  init(_ feed: LogFeed) {
    self.feed = feed
  }

  /// What keeps the consumer from getting events, each time something does.
  ///
  /// The last few are repeated for those who subscribe later.
  public var failures: some Signal<AppGroupsLogError, Never> {
    KeptSignal(upstream: feed.failures, owner: feed)
  }

  /// Whether events are seen as they are appended.
  public var health: Property<WatchHealth> { feed.changes.health }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// An event counts as handled when the subscriber has returned, unless it is to be acknowledged explicitly.
  ///
  /// - Parameter subscriber: Receives each event.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the log read.
  public func subscribe<Subscriber: SignalSubscriber<LogEntry<Event>, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    feed.subscribe(subscriber) { subscriber.receive($0.entry(of: Event.self)) }
  }

  /// Lists the live subscriptions, and then one trace for each loop over ``values``: for tests and debugging.
  ///
  /// - Returns: One trace for each way that an event takes to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] {
    let (subscribers, loopCount) = feed.audience.members
    return await SubscriptionTrace.traces(of: subscribers)
      + Array(repeating: SubscriptionTrace(steps: ["values"]), count: loopCount)
  }

  /// The events as an asynchronous sequence, each of which counts as handled when the loop asks for the next.
  ///
  /// A loop that ends, throws or is cancelled leaves the event it was busy with, and all later ones, to the next loop.
  /// At most a few dozen events wait in memory, however slow the loop is.
  ///
  /// Operators come before or after: `events.map { … }.values` counts an event as handled when it has been put into the
  /// sequence's buffer. Take the values first if that matters.
  public var values: LogValues<Event> { LogValues(feed: feed) }

  /// Says that an event is handled, and with it all that its producer appended before.
  ///
  /// For consumers with ``LogAcknowledgement/explicit``. It is noted on disk within a fraction of a second, also after
  /// the last subscription has ended; see ``saveProgress()``.
  ///
  /// An event of another log is ignored, and so is any event of ``AppGroupsLog/newEvents(includingOwn:)``.
  ///
  /// - Parameter entry: An event that this object gave out.
  public func acknowledge(_ entry: LogEntry<Event>) {
    feed.acknowledge(entry.position, of: entry.producer, at: entry.swapCount)
  }

  /// Notes on disk how far the consumer is, without waiting for when it would be noted anyway.
  ///
  /// Do this where you would rather wait than handle the last events again after a crash. It does nothing for
  /// ``AppGroupsLog/newEvents(includingOwn:)``, which has no place.
  ///
  /// - Throws: ``AppGroupsLogError`` if it cannot be written down, for example because no subscription is left and
  ///   somebody else has become the consumer; `CancellationError` if the task was cancelled before, and the position is
  ///   then noted when it would be noted anyway.
  public func saveProgress() async throws {
    try await feed.save()
  }
}

/// The events of a log as an asynchronous sequence; made by ``LogEvents/values``.
public struct LogValues<Event: Codable & Sendable>: AsyncSequence, Sendable {
  /// An event with its identity and its date.
  public typealias Element = LogEntry<Event>

  /// A log does not fail.
  public typealias Failure = Never

  let feed: LogFeed

  /// Begins to read the log.
  public func makeAsyncIterator() -> Iterator {
    Iterator(LoopOwner(feed))
  }

  /// Gives the events one by one.
  ///
  /// It reads the log until it is released, or until the task that waits in it is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let owner: LoopOwner

    fileprivate init(_ owner: LoopOwner) {
      self.owner = owner
    }

    /// Takes the last event as handled, and waits for the next.
    ///
    /// - Parameter actor: The actor to stay on.
    /// - Returns: The event, or `nil` after the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LogEntry<Event>? {
      while true {
        if Task.isCancelled {
          owner.end()
          return nil
        }
        let (supply, handled, isHungry) = owner.loop.take()
        if handled != nil || isHungry { owner.feed.didHandle(handled, owner.loop, isHungry: isHungry) }
        switch supply {
        case .entry(let entry): return entry.entry(of: Event.self)
        case .ended: return nil
        case .nothing:
          await withTaskCancellationHandler(
            operation: { await owner.loop.wait(isolation: actor) },
            onCancel: { [owner] in owner.end() },
            isolation: actor
          )
        }
      }
    }
  }
}

@available(*, unavailable)
extension LogValues.Iterator: Sendable {}

/// Ends a loop when it is over.
private final class LoopOwner: Sendable {
  let loop = LogLoop()
  let feed: LogFeed

  init(_ feed: LogFeed) {
    self.feed = feed
    feed.enter(loop)
  }

  deinit {
    end()
  }

  func end() {
    if loop.end() { feed.leave(loop) }
  }
}

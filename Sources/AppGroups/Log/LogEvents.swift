public import FileSignals
import Foundation
public import Signals

/// The events of a log for one consumer: all unhandled events, and then each new one as it is appended.
///
/// A signal that is created by ``AppGroupsLog/events(for:startingAt:includingOwn:acknowledgement:)`` for a consumer
/// whose position is kept, or by ``AppGroupsLog/newEvents(includingOwn:)``. Reading begins with the first subscription,
/// and ends with the last. Events that were not handled by then wait for the next subscription.
///
/// - **Order.** The events of one producer are delivered in the order in which it appended them, and every event before
///   its effects: the events that a process appended after it had received that one. If events of several producers are
///   waiting, the earliest is delivered first. See ``LogEntry/date`` for clocks that are wrong by more than a day.
/// - **At least once.** This object does not deliver a handled event again. After a crash, the events of the last
///   fraction of a second may be delivered again, in this process or another, with the same ``LogEntry/id``.
/// - **Several subscribers** share the consumer's position: a later subscriber receives the events from then on. Its
///   first event waits until the earlier ones have handled theirs. If they leave instead, it receives the events that
///   they left unhandled. A consumer that must receive all events needs its own name.
/// - **Threads.** Subscribers are called on a queue of this object, one event at a time. A slow subscriber, or a loop
///   that does not ask for more, delays only the other subscribers of the same object. The log itself is the buffer,
///   and is read in small pieces. To decouple subscribers, give each its own consumer, or its own object of
///   ``AppGroupsLog/newEvents(includingOwn:)``.
public final class LogEvents<Event: Codable & Sendable>: Signal {
  /// An event with its identity and its date.
  public typealias Element = LogEntry<Event>

  /// The failure of the signal: a log never fails, and ``failures`` reports errors.
  public typealias Failure = Never

  let feed: LogFeed

  init(_ feed: LogFeed) {
    self.feed = feed
  }

  /// The errors that keep the consumer from receiving events.
  ///
  /// A later subscriber receives the last few errors.
  public var failures: some Signal<AppGroupsLogError, Never> {
    KeptSignal(upstream: feed.failures, owner: feed)
  }

  /// The state of the observation of appended events.
  public var health: Property<WatchHealth> { feed.changes.health }

  /// Attaches a subscriber, and returns the token that keeps it attached.
  ///
  /// An event counts as handled when the subscriber has returned, unless events are acknowledged explicitly.
  ///
  /// - Parameter subscriber: Receives each event.
  /// - Returns: A token that cancels the subscription when it is released. While the token exists, the log is read.
  public func subscribe(_ subscriber: some SignalSubscriber<LogEntry<Event>, Never>) -> SignalSubscription {
    feed.subscribe(subscriber) { subscriber.receive($0.entry(of: Event.self)) }
  }

  /// Lists the live subscriptions, and then one trace for each loop over ``values``, for tests and debugging.
  ///
  /// - Returns: One trace for each path by which events reach a subscriber or a loop.
  public func subscriptions() async -> [SubscriptionTrace] {
    let (subscribers, loopCount) = feed.audience.members
    return await SubscriptionTrace.traces(of: subscribers)
      + Array(repeating: SubscriptionTrace(steps: ["values"]), count: loopCount)
  }

  /// The events as an asynchronous sequence, each of which counts as handled when the loop asks for the next.
  ///
  /// If a loop ends, throws or is cancelled, its current event and all later ones go to the next loop or subscriber. That
  /// may be attached already, as with `task(id:)` of SwiftUI, which begins a loop while the old one still runs. A member
  /// that has received these events, too, receives none of them again. A loop over
  /// ``AppGroupsLog/newEvents(includingOwn:)`` leaves no events.
  ///
  /// At most a few dozen events wait in memory, however slow the loop is.
  ///
  /// At the top level of `main.swift`, Swift keeps the iterator of a loop until the program ends, so the next loop waits.
  /// Put a loop that ends into a function.
  ///
  /// If the contents of the log's scope are switched while a loop has an event, the event stays unhandled, because the
  /// loop may already see the new contents. It is delivered again when its contents return. So a loop that itself
  /// activates another environment receives the event that made it do so again.
  ///
  /// Operators may be applied before or after. `events.map { … }.values` counts an event as handled when it enters the
  /// buffer of the sequence. If that is too early, take `values` first.
  public var values: LogValues<Event> { LogValues(feed: feed) }

  /// Acknowledges an event, and with it all earlier events of its producer.
  ///
  /// Use this method with ``LogAcknowledgement/explicit``. The acknowledgement is saved within a fraction of a second,
  /// even after the last subscription has ended; see ``saveProgress()``.
  ///
  /// An event of another log is ignored, and so is any event of ``AppGroupsLog/newEvents(includingOwn:)``.
  ///
  /// - Parameter entry: An event that this object delivered.
  public func acknowledge(_ entry: LogEntry<Event>) {
    feed.acknowledge(entry.position, of: entry.producer, at: entry.switchCount)
  }

  /// Saves the consumer's position now, instead of at the next regular time.
  ///
  /// Call it where you would rather wait than handle the last events again after a crash. It does nothing for
  /// ``AppGroupsLog/newEvents(includingOwn:)``, which has no position.
  ///
  /// If no subscription is left, it also waits until a closure that still runs has returned and the reading has ended.
  /// Then this object writes nothing more, and another process can be the consumer.
  ///
  /// - Throws: ``AppGroupsLogError`` if the position cannot be saved, for example because no subscription is left and
  ///   another process has become the consumer. `CancellationError` if the task was cancelled first; then the position
  ///   is saved at the next regular time.
  public func saveProgress() async throws {
    try await feed.save()
  }
}

/// The events of a log as an asynchronous sequence; created by ``LogEvents/values``.
public struct LogValues<Event: Codable & Sendable>: AsyncSequence, Sendable {
  let feed: LogFeed

  /// Begins to read the log.
  public func makeAsyncIterator() -> Iterator {
    Iterator(LoopOwner(feed))
  }

  /// An iterator that delivers the events one by one.
  ///
  /// It reads the log until it is released, or until the task that waits in it is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let owner: LoopOwner

    fileprivate init(_ owner: LoopOwner) {
      self.owner = owner
    }

    /// Counts the last event as handled, and waits for the next.
    ///
    /// - Parameter actor: The actor that the method runs on.
    /// - Returns: The event, or `nil` after the task was cancelled.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LogEntry<Event>? {
      while true {
        if Task.isCancelled {
          owner.end()
          return nil
        }
        let (supply, handled, hasRoom) = owner.loop.take()
        if handled != nil || hasRoom { owner.feed.didHandle(handled, owner.loop, hasRoom: hasRoom) }
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

/// The owner of a loop, which ends the loop when it is released.
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

/// The position at which a consumer begins that has not read the log before.
@nonexhaustive
public enum LogStart: Sendable, Hashable {
  /// The oldest event that is still in the log.
  case oldest

  /// The first event that is appended after the consumer subscribes.
  case newest
}

/// The moment at which an event counts as handled, and is not delivered to the consumer again.
@nonexhaustive
public enum LogAcknowledgement: Sendable, Hashable {
  /// An event is handled when the subscriber has returned, or when the loop asks for the next event.
  ///
  /// If the subscriber passes an event to a queue or a task, the log does not wait for that work. The same holds for
  /// `receive(on:)` and `sink(on:)`.
  case automatic

  /// An event is handled when you call ``LogEvents/acknowledge(_:)``.
  case explicit
}

/// The options of a feed.
struct LogReading: Sendable {
  /// The consumer's name, which belongs to the log in any contents.
  var consumer: String?
  var start: LogStart
  var includesOwn: Bool
  var acknowledgement: LogAcknowledgement

  /// Returns the consumer in a directory, if there is one.
  func consumer(in place: LogPlace) throws(AppGroupsLogError) -> ConsumerPlace? {
    guard let consumer else { return nil }
    return try ConsumerPlace(name: consumer, place: place)
  }
}

/// The position at which a consumer begins that has not read the log before.
public enum LogStart: Sendable, Hashable {
  /// The oldest event that is still in the log.
  case oldest

  /// The first event that is appended after the consumer subscribes.
  case newest
}

/// The moment at which an event counts as handled, and is not delivered to the consumer again.
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
  var consumer: ConsumerPlace?
  var start: LogStart
  var includesOwn: Bool
  var acknowledgement: LogAcknowledgement
}

/// Where a consumer begins that has not read the log before.
public enum LogStart: Sendable, Hashable {
  /// With the oldest event that there still is.
  case oldest

  /// With the first event that is appended after it subscribes.
  case newest
}

/// When an event counts as handled, and is not given to the consumer again.
public enum LogAcknowledgement: Sendable, Hashable {
  /// When the subscriber has returned, or the loop asks for the next event.
  ///
  /// What is handed on to a queue or a task of your own in the subscriber is not waited for. The same holds for
  /// `receive(on:)` and `sink(on:)`.
  case automatic

  /// When you say so, with ``LogEvents/acknowledge(_:)``.
  case explicit
}

/// What a feed is to do.
struct LogReading: Sendable {
  var consumer: ConsumerPlace?
  var start: LogStart
  var includesOwn: Bool
  var acknowledgement: LogAcknowledgement
}

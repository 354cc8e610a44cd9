public import Foundation

/// What tells one event of a log from every other, for ever.
///
/// An event may be delivered more than once, after a crash; who must not handle it twice keeps the identities of what it has
/// handled, or the last sequence of each producer.
public struct LogEventID: Hashable, Sendable, Codable {
  /// Who appended the event: one process, from its first event until its end.
  public let producer: UUID

  /// The event's number among those of its producer, which count from 1 without a gap.
  public let sequence: UInt64

  /// Makes an identity, such as one that was stored in parts.
  ///
  /// - Parameters:
  ///   - producer: Who appended the event.
  ///   - sequence: The event's number among those of its producer.
  public init(producer: UUID, sequence: UInt64) {
    self.producer = producer
    self.sequence = sequence
  }
}

/// An event of a log, with who appended it and when.
public struct LogEntry<Event: Sendable>: Identifiable, Sendable {
  /// What tells the event from every other.
  public let id: LogEventID

  /// When it was appended; later than every event that its process had appended or read before.
  public let date: Date

  /// The event itself.
  public let event: Event

  /// Where the log goes on after it.
  let position: LogPosition

  /// Who appended the event.
  public var producer: UUID { id.producer }

  /// The event's number among those of its producer.
  public var sequence: UInt64 { id.sequence }
}

extension LogEntry: Equatable where Event: Equatable {}
extension LogEntry: Hashable where Event: Hashable {}

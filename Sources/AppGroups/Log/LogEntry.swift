public import Foundation

/// What tells one event of a log from every other, for ever.
///
/// An event may be delivered more than once, after a crash; who must not handle it twice keeps the identities of what
/// it has handled, or the last sequence of each producer.
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

extension LogEventID {
  private enum Key: String, CodingKey {
    case producer, sequence
  }

  /// Reads an identity that was written down.
  ///
  /// - Parameter decoder: Where to read it from.
  /// - Throws: `DecodingError` if it is none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    producer = try container.decode(UUID.self, forKey: .producer)
    sequence = try container.decode(UInt64.self, forKey: .sequence)
  }

  /// Writes the identity down.
  ///
  /// - Parameter encoder: Where to write it to.
  /// - Throws: `EncodingError` if the encoder cannot.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(producer, forKey: .producer)
    try container.encode(sequence, forKey: .sequence)
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

  /// The number of the contents that the event belongs to, as ``Scope/swapCount`` counts them; 0 without a scope.
  ///
  /// A consumer that computes something from all events begins anew with the first event of another number.
  public let swapCount: Int

  /// Where the log goes on after it.
  let position: LogPosition

  /// Who appended the event.
  public var producer: UUID { id.producer }

  /// The event's number among those of its producer.
  public var sequence: UInt64 { id.sequence }
}

extension LogEntry: Equatable where Event: Equatable {
  /// Returns a Boolean value that indicates whether two entries have the same identity, date and event.
  public static func == (first: LogEntry, second: LogEntry) -> Bool {
    first.id == second.id && first.date == second.date && first.event == second.event
  }
}

extension LogEntry: Hashable where Event: Hashable {
  /// Feeds identity, date and event into a hasher.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(date)
    hasher.combine(event)
  }
}

public import Foundation

/// The unique identity of an event in a log.
///
/// After a crash, an event may be delivered more than once. A consumer that must not handle an event twice stores the
/// identities of the events that it has handled, or the last sequence of each producer.
///
/// With the module Stores, it can be the `id` of a row, which is stored as ``description``.
public struct LogEventID: Hashable, Sendable, Codable {
  /// The producer of the event: one process, from its first event until its end.
  public let producer: UUID

  /// The event's number among the events of its producer, which count from 1 without a gap.
  public let sequence: UInt64

  /// Creates an identity, such as one that was stored in parts.
  ///
  /// - Parameters:
  ///   - producer: The producer of the event.
  ///   - sequence: The event's number among the events of its producer.
  package init(producer: UUID, sequence: UInt64) {
    self.producer = producer
    self.sequence = sequence
  }
}

extension LogEventID: LosslessStringConvertible {
  /// The producer in capital letters, a slash, and the sequence.
  ///
  /// The order of these texts is not the order of the events.
  public var description: String { "\(producer.uuidString)/\(sequence)" }

  /// Creates an identity from its ``description``.
  ///
  /// Fails for any other spelling, so that no identity has two texts.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let producer = UUID(uuidString: String(parts[0])), let sequence = UInt64(parts[1]) else {
      return nil
    }
    self.init(producer: producer, sequence: sequence)
    guard self.description == description else { return nil }
  }
}

/// An event of a log, with its producer and its date.
public struct LogEntry<Event: Sendable>: Identifiable, Sendable {
  /// The unique identity of the event.
  public let id: LogEventID

  /// The date of the append, which is later than the date of every event that its process had appended or read before.
  ///
  /// The events of several processes are ordered by their dates. An event that was dated more than 24 hours ahead of the
  /// reading process does not count: otherwise, one wrong clock would set the dates of all later events ahead. An effect
  /// of such an event may be delivered before it.
  public let date: Date

  /// The event itself.
  public let event: Event

  /// The number of the contents that the event belongs to, as ``Scope/switchCount`` counts them; 0 without a scope.
  ///
  /// A consumer that derives a result from all events starts over at the first event with another number.
  public let switchCount: Int

  /// The position after the event in its producer's log.
  let position: LogPosition

  /// The producer of the event.
  package var producer: UUID { id.producer }

  /// The event's number among the events of its producer.
  package var sequence: UInt64 { id.sequence }
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

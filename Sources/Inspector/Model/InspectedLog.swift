package import Foundation

/// The details of a log of events.
package struct InspectedLog: Sendable, Hashable, Encodable {
  /// The events of one process.
  package struct Producer: Sendable, Hashable, Encodable, Identifiable {
    /// The identifier of the producer.
    package var id: String
    /// The number of stored segments.
    package var segments: Int
    /// The size of the stored segments.
    package var bytes: Int
    /// The number of stored events, as a decimal number.
    package var events: String
    /// The sequence of the last event, as a decimal number.
    package var end: String
    /// A Boolean value that indicates whether the process still appends.
    package var active: Bool
    /// The process identifier of an active producer.
    package var pid: Int32?
    /// The identifier of the ``InspectedProcess`` of an active producer.
    package var process: String?
    /// The time of the last event.
    package var last: Date?
  }

  /// The progress of a consumer in the events of one producer.
  package struct Cursor: Sendable, Hashable, Encodable {
    /// The producer.
    package var producer: String
    /// The sequence of the last handled event, as a decimal number.
    package var position: String
    /// The sequence of the last event, as a decimal number.
    package var end: String
    /// The number of unhandled events.
    package var lag: Int
  }

  /// The states of a consumer.
  package enum State: String, Sendable, Hashable, Encodable {
    /// All events are handled, and the consumer runs.
    case caughtUp = "caught up"
    /// Events are waiting, and the consumer advances.
    case behind
    /// Events are waiting, and the consumer runs but has not advanced for five seconds.
    case stalled
    /// Events are waiting, and no process runs as the consumer.
    case dead
    /// All events are handled, and no process runs as the consumer.
    case idle
    /// The position cannot be read.
    case unknown
  }

  /// A consumer.
  package struct Consumer: Sendable, Hashable, Encodable {
    /// The name.
    package var name: String
    /// The state.
    package var state: State
    /// The number of events that were handled, as a decimal number.
    package var cursor: String?
    /// The number of events that were ever appended, as a decimal number.
    package var end: String
    /// The number of events that wait; `nil` if it is unknown.
    package var lag: Int?
    /// The reason why the lag is unknown.
    package var reason: String?
    /// The age of the oldest unhandled event, in seconds.
    package var oldest: Double?
    /// The time in this state, in seconds.
    package var since: Double?
    /// The handled events per second, over the last seconds.
    package var reads: Double?
    /// The time until no event waits, in seconds, at the present rates.
    package var empty: Double?
    /// A Boolean value that indicates whether a process runs as the consumer.
    package var running: Bool
    /// The process identifier of the running consumer.
    package var pid: Int32?
    /// The identifier of the ``InspectedProcess`` of the running consumer.
    package var process: String?
    /// The time when the position was last saved.
    package var active: Date?
    /// The reason why events were removed before the consumer received them: `sizeLimit` or `absence`.
    package var loss: String?
    /// An error of the position.
    package var error: String?
    /// The progress by producer.
    package var cursors: [Cursor]
  }

  /// The time of the last event.
  package var last: Date?

  /// The size of all stored segments.
  package var bytes: Int

  /// The number of stored events, as a decimal number.
  package var events: String

  /// The number of events that were ever appended, as a decimal number.
  package var end: String

  /// The producers, in the order of their identifiers.
  package var producers: [Producer]

  /// The consumers, in the order of their names.
  package var consumers: [Consumer]
}

public import Foundation

/// The details of a log of events.
public struct InspectedLog: Sendable, Hashable, Codable {
  /// The events of one process.
  public struct Producer: Sendable, Hashable, Codable, Identifiable {
    /// The identifier of the producer.
    public var id: String
    /// The number of stored segments.
    public var segments: Int
    /// The size of the stored segments.
    public var bytes: Int
    /// The number of stored events, as a decimal number.
    public var events: String
    /// The sequence of the last event, as a decimal number.
    public var end: String
    /// A Boolean value that indicates whether the process still appends.
    public var active: Bool
    /// The process identifier of an active producer.
    public var pid: Int32?
    /// The identifier of the ``InspectedProcess`` of an active producer.
    public var process: String?
    /// The time of the last event.
    public var last: Date?
  }

  /// The progress of a consumer in the events of one producer.
  public struct Cursor: Sendable, Hashable, Codable {
    /// The producer.
    public var producer: String
    /// The sequence of the last handled event, as a decimal number.
    public var position: String
    /// The sequence of the last event, as a decimal number.
    public var end: String
    /// The number of unhandled events.
    public var lag: Int
  }

  /// The states of a consumer.
  public enum State: String, Sendable, Hashable, Codable {
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
  public struct Consumer: Sendable, Hashable, Codable {
    /// The name.
    public var name: String
    /// The state.
    public var state: State
    /// The number of events that were handled, as a decimal number.
    public var cursor: String?
    /// The number of events that were ever appended, as a decimal number.
    public var end: String
    /// The number of events that wait; `nil` if it is unknown.
    public var lag: Int?
    /// The reason why the lag is unknown.
    public var reason: String?
    /// The age of the oldest unhandled event, in seconds.
    public var oldest: Double?
    /// The time in this state, in seconds.
    public var since: Double?
    /// The handled events per second, over the last seconds.
    public var reads: Double?
    /// The time until no event waits, in seconds, at the present rates.
    public var empty: Double?
    /// A Boolean value that indicates whether a process runs as the consumer.
    public var running: Bool
    /// The process identifier of the running consumer.
    public var pid: Int32?
    /// The identifier of the ``InspectedProcess`` of the running consumer.
    public var process: String?
    /// The time when the position was last saved.
    public var active: Date?
    /// The reason why events were removed before the consumer received them: `sizeLimit` or `absence`.
    public var loss: String?
    /// An error of the position.
    public var error: String?
    /// The progress by producer.
    public var cursors: [Cursor]
  }

  /// The time of the last event.
  public var last: Date?

  /// The size of all stored segments.
  public var bytes: Int

  /// The number of stored events, as a decimal number.
  public var events: String

  /// The number of events that were ever appended, as a decimal number.
  public var end: String

  /// The producers, in the order of their identifiers.
  public var producers: [Producer]

  /// The consumers, in the order of their names.
  public var consumers: [Consumer]
}

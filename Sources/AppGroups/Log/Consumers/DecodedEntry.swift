import Foundation

/// A decoded event of any type, on its way to the subscribers.
///
/// The code between the file and the subscribers does not use the event itself. Without a type parameter, the compiler
/// generates code that is several times as fast as code that looks up each type at run time.
struct DecodedEntry: Sendable {
  let id: LogEventID
  /// The position after the event in its producer's log.
  let position: LogPosition
  private let typed: any AnyObject & Sendable

  init<Event: Sendable>(_ entry: LogEntry<Event>) {
    id = entry.id
    position = entry.position
    typed = TypedEntry(entry)
  }

  /// Returns the entry with the event in the log's own type.
  func entry<Event: Sendable>(of type: Event.Type) -> LogEntry<Event> {
    // Sound: a feed decodes all its events with one decoder, and delivers them only to subscribers of its log.
    unsafeDowncast(typed, to: TypedEntry<Event>.self).entry
  }
}

private final class TypedEntry<Event: Sendable>: Sendable {
  let entry: LogEntry<Event>

  init(_ entry: LogEntry<Event>) {
    self.entry = entry
  }
}

/// Decodes records into events.
struct EntryDecoder: Sendable {
  let decode: @Sendable (LogRecord, _ producer: UUID, LogPosition, _ switchCount: Int) throws -> DecodedEntry

  init<Event: Sendable>(_ format: FileFormat<Event>) {
    decode = { record, producer, position, switchCount in
      let id = LogEventID(producer: producer, sequence: record.sequence)
      let date = Date(timeIntervalSince1970: Double(record.time) / 1e9)
      let event = try format.decode(record.payload)
      return DecodedEntry(LogEntry(id: id, date: date, event: event, switchCount: switchCount, position: position))
    }
  }
}

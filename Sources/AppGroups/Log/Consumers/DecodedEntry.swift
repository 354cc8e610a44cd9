import Foundation

/// An event on its way to those who listen, of whatever type it is.
///
/// What is between the file and the subscribers does not look at the event. Without a type parameter, the compiler
/// makes of it what would take several times as long if each type had to be looked up as it runs.
struct DecodedEntry: Sendable {
  let id: LogEventID
  /// Where the log goes on after it.
  let position: LogPosition
  private let typed: any AnyObject & Sendable

  init<Event: Sendable>(_ entry: LogEntry<Event>) {
    id = entry.id
    position = entry.position
    typed = TypedEntry(entry)
  }

  /// The event itself, of the type that the log has.
  func entry<Event: Sendable>(of type: Event.Type) -> LogEntry<Event> {
    // Sound: a feed decodes all its events with one decoder, and only those of its log get them.
    unsafeDowncast(typed, to: TypedEntry<Event>.self).entry
  }
}

private final class TypedEntry<Event: Sendable>: Sendable {
  let entry: LogEntry<Event>

  init(_ entry: LogEntry<Event>) {
    self.entry = entry
  }
}

/// Makes events of records.
struct EntryDecoder: Sendable {
  let decode: @Sendable (LogRecord, _ producer: UUID, LogPosition, _ swapCount: Int) throws -> DecodedEntry

  init<Event: Sendable>(_ format: FileFormat<Event>) {
    decode = { record, producer, position, swapCount in
      let id = LogEventID(producer: producer, sequence: record.sequence)
      let date = Date(timeIntervalSince1970: Double(record.time) / 1e9)
      let event = try format.decode(record.payload)
      return DecodedEntry(LogEntry(id: id, date: date, event: event, swapCount: swapCount, position: position))
    }
  }
}

import Foundation

/// An event on its way to those who listen, of whatever type it is.
///
/// What is between the file and the subscribers does not look at the event. Without a type parameter, the compiler
/// makes of it what would take several times as long if each type had to be looked up as it runs.
class DecodedEntry: @unchecked Sendable {  // Sound: it and the one class that inherits from it never change.
  let id: LogEventID
  /// Where the log goes on after it.
  let position: LogPosition

  fileprivate init(_ id: LogEventID, _ position: LogPosition) {
    self.id = id
    self.position = position
  }

  /// The event itself, of the type that the log has.
  func entry<Event: Sendable>(of type: Event.Type) -> LogEntry<Event> {
    // Sound: a feed decodes all its events with one decoder, and only those of its log get them.
    unsafeDowncast(self, to: TypedEntry<Event>.self).entry
  }
}

private final class TypedEntry<Event: Sendable>: DecodedEntry, @unchecked Sendable {  // Sound: immutable.
  let entry: LogEntry<Event>

  init(_ entry: LogEntry<Event>) {
    self.entry = entry
    super.init(entry.id, entry.position)
  }
}

/// Makes events of records.
struct EntryDecoder: Sendable {
  let decode: @Sendable (LogRecord, _ producer: UUID, LogPosition) throws -> DecodedEntry

  init<Event: Sendable>(_ format: FileFormat<Event>) {
    decode = { record, producer, position in
      let id = LogEventID(producer: producer, sequence: record.sequence)
      let date = Date(timeIntervalSince1970: Double(record.time) / 1e9)
      let event = try format.decode(record.payload)
      return TypedEntry(LogEntry(id: id, date: date, event: event, position: position))
    }
  }
}

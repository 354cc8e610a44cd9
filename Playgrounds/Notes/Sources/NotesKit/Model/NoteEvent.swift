public import Foundation
public import SignalsKit

/// An event that no process may miss: a user has changed a note.
///
/// It is small, and names the note instead of repeating it. So it never contradicts the database, and it is safe to
/// handle twice.
public struct NoteEvent: Codable, Hashable, Sendable {
  /// The kinds of changes.
  public enum Kind: String, Codable, CaseIterable, Sendable, SQLiteConvertible {
    case added, edited, pinned, removed
  }

  /// The kind of change.
  public let kind: Kind
  /// The note.
  public let note: UUID
  /// The identity of the user.
  public let user: String
  /// The identity of the environment.
  public let environment: UUID
}

/// A line in the history of an environment, which a consumer of the event log writes.
public struct Activity: StoreModel, Equatable {
  /// The table, with an index for the order of the list.
  public static let table = TableSpec("activity", indexes: ["date"])

  /// The identity of the event, which makes the row idempotent: the same event twice is the same row.
  public let id: String
  /// The kind of change.
  public let kind: NoteEvent.Kind
  /// The note.
  public let note: UUID
  /// The identity of the user.
  public let user: String
  /// The date of the event.
  public let date: Date

  /// Creates the line for an event.
  ///
  /// - Parameter entry: The event with its identity.
  public init(_ entry: LogEntry<NoteEvent>) {
    id = "\(entry.id.producer):\(entry.id.sequence)"
    (kind, note, user, date) = (entry.event.kind, entry.event.note, entry.event.user, entry.date)
  }

  /// The schema of the history, one database for all users of an environment.
  public static let schema = Schema(version: 1, models: [Activity.self])

  /// The newest lines.
  public static let newest = Activity.ordered(.descending) { $0.date }.limit(8)
}

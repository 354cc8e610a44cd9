public import Foundation
public import SignalsKit

/// A note of one user, as a row of the user's database.
///
/// It names neither its user nor its environment: each user of each environment has a database of their own.
public struct Note: StoreModel, Equatable {
  /// The table, with an index for the order of the list.
  public static let table = TableSpec("note", indexes: ["created"])

  /// The identity.
  public var id = UUID()
  /// The text.
  public var text: String
  /// A Boolean value that indicates whether the note stays at the top of the list.
  public var isPinned = false
  /// The date of the first version.
  public var created = Date()
  /// The date of the last version.
  public var edited: Date?

  /// Creates a note.
  ///
  /// - Parameter text: The text.
  public init(text: String) {
    self.text = text
  }

  /// A typed query: the notes that contain all of some words, pinned ones first, then the newest.
  ///
  /// The compiler checks the names and types of columns, and SQLite receives the words as parameters.
  ///
  /// - Parameter words: The words; without any, all notes.
  /// - Returns: The query.
  public static func containing(_ words: [String] = []) -> Query<Note> {
    Note.where {
      for word in words { $0.text.like("%\(word)%") }
    }
    .ordered(.descending) { $0.isPinned }
    .ordered(.descending) { $0.created }
  }
}

/// The unfinished note of a user, one row that survives a crash and a switch.
public struct Draft: StoreModel, Equatable {
  /// The table.
  public static let table = TableSpec("draft")

  /// The key of the only row.
  public var id = 1
  /// The text.
  public var text: String

  /// Creates a draft.
  ///
  /// - Parameter text: The text.
  public init(text: String) {
    self.text = text
  }
}

extension StoreVersions {
  /// The databases of each user.
  ///
  /// Raise the version with each change of a model, and add a migration step to the new version.
  public static let notes = StoreVersions(persistence: Schema(version: 1, models: [Note.self, Draft.self]))
}

/// Random transactions on a small database with two tables, as lists of statements.
///
/// The tables are `place (id, name, isOpen)` and `visit (id, place, stars, note)`. A visit refers to its place, which
/// removes it, and notes are unique.
public enum RandomTransactions {
  /// The statements that create a full-text index of the notes, and the triggers that keep it in step.
  public static let textIndex = [
    "CREATE VIRTUAL TABLE visit_text USING fts5(note, content = 'visit', content_rowid = 'id')",
    "CREATE TRIGGER visit_insert AFTER INSERT ON visit BEGIN \(added); END",
    "CREATE TRIGGER visit_delete AFTER DELETE ON visit BEGIN \(removed); END",
    "CREATE TRIGGER visit_update AFTER UPDATE ON visit BEGIN \(removed); \(added); END",
  ]

  private static let added = "INSERT INTO visit_text (rowid, note) VALUES (new.id, new.note)"
  private static let removed =
    "INSERT INTO visit_text (visit_text, rowid, note) VALUES ('delete', old.id, old.note)"

  /// Returns the statements of one transaction.
  ///
  /// Keys and values come from small ranges, so that rows meet.
  public static func next(_ chance: inout Chance) -> [String] {
    (0...chance.number(below: 4)).map { _ in statement(&chance) }
  }

  private static func statement(_ chance: inout Chance) -> String {
    let (id, other, stars) = (chance.number(below: 12), chance.number(below: 12), chance.number(below: 6))
    let words = ["red", "blue", "green house", "red house", "old town"]
    let note = "'\(words[chance.number(below: words.count)]) \(chance.number(below: 8))'"
    let value = stars == 0 ? "NULL" : "\(stars)"
    switch chance.number(below: 16) {
    case 0, 1: return "INSERT OR REPLACE INTO place VALUES (\(id), 'place \(other)', \(stars % 2))"
    case 2: return "UPDATE place SET isOpen = 1 - isOpen WHERE id = \(id)"
    case 3: return "DELETE FROM place WHERE id = \(id)"
    case 4, 5, 6: return "INSERT OR REPLACE INTO visit VALUES (\(id), \(other), \(value), \(note))"
    case 7: return "INSERT OR IGNORE INTO visit (place, stars, note) VALUES (\(other), \(value), \(note))"
    case 8: return "UPDATE OR REPLACE visit SET note = \(note) WHERE id = \(id)"
    case 9: return "UPDATE visit SET stars = \(value) WHERE place = \(other)"
    case 10: return "UPDATE OR IGNORE visit SET id = \(other) WHERE id = \(id)"
    case 11: return "DELETE FROM visit WHERE id = \(id)"
    case 12: return "DELETE FROM visit WHERE stars = \(stars)"
    case 13: return chance.once(in: 8) ? "DELETE FROM visit" : "DELETE FROM visit WHERE id > 30"
    case 14: return "UPDATE place SET name = 'place \(other)' WHERE id = \(id)"
    default: return chance.once(in: 8) ? "DELETE FROM place" : "UPDATE visit SET stars = stars + 0"
    }
  }
}

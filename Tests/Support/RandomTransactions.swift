/// Random transactions on a small database with two tables and a full-text index, as lists of statements.
public enum RandomTransactions {
  /// The statements that create the tables.
  public static let schema = """
    CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY, name TEXT NOT NULL, isOpen INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS visit (
      id INTEGER PRIMARY KEY, place INTEGER NOT NULL, stars INTEGER, note TEXT UNIQUE,
      FOREIGN KEY (place) REFERENCES place (id) ON DELETE CASCADE);
    CREATE VIRTUAL TABLE IF NOT EXISTS visit_text USING fts5(note, content = 'visit', content_rowid = 'id');
    CREATE TRIGGER IF NOT EXISTS visit_insert AFTER INSERT ON visit BEGIN
      INSERT INTO visit_text (rowid, note) VALUES (new.id, new.note);
    END;
    CREATE TRIGGER IF NOT EXISTS visit_delete AFTER DELETE ON visit BEGIN
      INSERT INTO visit_text (visit_text, rowid, note) VALUES ('delete', old.id, old.note);
    END;
    CREATE TRIGGER IF NOT EXISTS visit_update AFTER UPDATE ON visit BEGIN
      INSERT INTO visit_text (visit_text, rowid, note) VALUES ('delete', old.id, old.note);
      INSERT INTO visit_text (rowid, note) VALUES (new.id, new.note);
    END;
    """

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

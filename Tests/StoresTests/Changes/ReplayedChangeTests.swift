import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// Replaying the changes yields the present rows at each moment.
///
/// `SIGNALS_TORTURE` sets the duration in seconds.
@Suite("Replayed changes", .seeded, .patient)
struct ReplayedChangeTests {
  private struct Unwanted: Error {}

  private static let tables = ["plain": "id", "worded": "id", "rowless": "id", "pair": "quote(a) || ',' || quote(b)"]

  @Test(arguments: [false, true])
  func `replaying the changes of random statements yields the rows of the tables`(hasTriggers: Bool) throws {
    var chance = Chance()
    let database = try Database(.memory)
    try database.write { try $0.execute(script: Self.schema + (hasTriggers ? Self.triggers : "")) }
    let collected = Collected(database)
    var known: Content = [:]
    var story: [String] = []
    let end = Scale.tortureTime.map { ContinuousClock.now + .seconds($0 / 2) }
    var round = 0
    while end.map({ ContinuousClock.now < $0 }) ?? (round < 300) {
      round += 1
      if round.isMultiple(of: 1000) { Scale.progress("\(round) random transactions replayed") }
      story.removeFirst(max(0, story.count - 100))
      story.append("-- round \(round)")
      do {
        try database.write { transaction in
          try Self.play(transaction, &chance, &story, depth: 0)
          if chance.once(in: 8) { throw Unwanted() }
        }
      } catch is Unwanted {
        story.append("-- rolled back")
      }
      let sets = collected.take()
      let actual = try Self.content(of: database)
      let faults = Self.replay(sets, from: known, to: actual)
      #expect(faults.isEmpty, "\(faults), after: \(story.suffix(40).joined(separator: "; "))")
      if !faults.isEmpty { return }
      known = actual
    }
  }

  /// The rows of each table by key.
  private typealias Content = [String: [SQLiteValue: [SQLiteValue]]]

  /// Returns the errors in changes that should lead from one content to another.
  private static func replay(_ sets: [ChangeSet], from old: Content, to new: Content) -> [String] {
    var faults = sets.count > 1 ? ["\(sets.count) sets for one commit"] : []
    for name in tables.keys {
      let (before, after) = (old[name] ?? [:], new[name] ?? [:])
      let changes = sets.first?[name] ?? TableChanges()
      let (gone, came) = (Set(before.keys).subtracting(after.keys), Set(after.keys).subtracting(before.keys))
      let written = Set(before.keys).intersection(after.keys).filter { before[$0] != after[$0] }
      if changes.isEverything { continue }
      if changes.deleted != gone { faults.append("\(name): \(changes.deleted) deleted, not \(gone)") }
      if changes.inserted != came { faults.append("\(name): \(changes.inserted) inserted, not \(came)") }
      if !changes.updated.isSuperset(of: written) { faults.append("\(name): \(written) updated in silence") }
      if !changes.updated.isSubset(of: Set(before.keys).intersection(after.keys)) {
        faults.append("\(name): \(changes.updated) updated, which are not there")
      }
    }
    return faults
  }

  private static func content(of database: Database) throws -> Content {
    try database.read { transaction in
      var content: Content = [:]
      for (name, key) in tables {
        let rows = try transaction.rows("SELECT \(key), * FROM \(name)")
        content[name] = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0.values) })
      }
      return content
    }
  }

  private static func play(
    _ transaction: WriteTransaction, _ chance: inout Chance, _ story: inout [String], depth: Int
  ) throws {
    for _ in 0..<(1 + chance.number(below: 4)) {
      if depth < 3, chance.once(in: 5) {
        story.append("SAVEPOINT")
        do {
          try transaction.savepoint {
            try play(transaction, &chance, &story, depth: depth + 1)
            if chance.once(in: 2) { throw Unwanted() }
          }
          story.append("RELEASE")
        } catch is Unwanted {
          story.append("ROLLBACK TO")
        }
        continue
      }
      let statement = statement(&chance)
      story.append(statement)
      do {
        try transaction.execute(statement)
      } catch .constraint {
        story.append("-- refused")
      }
    }
  }

  private static func statement(_ chance: inout Chance) -> String {
    let kinds = ["INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE", "INSERT OR FAIL"]
    let insert = kinds[chance.number(below: kinds.count)]
    let updates = ["UPDATE", "UPDATE OR REPLACE", "UPDATE OR IGNORE"]
    let update = updates[chance.number(below: updates.count)]
    let (a, b, c) = (chance.number(below: 8), chance.number(below: 8), chance.number(below: 8))
    let table = ["plain", "worded", "rowless"][chance.number(below: 3)]
    let key = { (number: Int) in table == "plain" ? "\(number)" : "'k\(number)'" }
    switch chance.number(below: 12) {
    case 0: return "\(insert) INTO \(table) (id, n, u) VALUES (\(key(a)), \(b), \(c)), (\(key(b)), \(c), \(a))"
    case 1, 2: return "\(insert) INTO \(table) (id, n, u) VALUES (\(key(a)), \(b), \(c))"
    case 3: return "\(update) \(table) SET n = \(a) WHERE n = \(b)"
    case 4: return "\(update) \(table) SET u = \(a) WHERE id = \(key(b))"
    case 5: return "\(update) \(table) SET id = \(key(a)) WHERE id = \(key(b))"
    case 6: return chance.once(in: 3) ? "DELETE FROM \(table)" : "DELETE FROM \(table) WHERE id = \(key(a))"
    case 7: return "DELETE FROM \(table) WHERE n < \(a)"
    case 8: return "\(insert) INTO pair VALUES (\(a), 'b\(b)', \(c))"
    case 9: return "\(update) pair SET b = 'b\(a)' WHERE a = \(b)"
    case 10:
      let row = "(\(key(a)), \(b), \(c))"
      return "INSERT INTO \(table) (id, n, u) VALUES \(row) ON CONFLICT DO UPDATE SET n = n + 1, id = \(key(c))"
    default: return "UPDATE plain SET id = id + 10, n = n + 1 WHERE id < 4"
    }
  }

  private static let schema = """
    CREATE TABLE plain (id INTEGER PRIMARY KEY, n INTEGER, u INTEGER UNIQUE);
    CREATE TABLE worded (id TEXT PRIMARY KEY NOT NULL, n INTEGER, u INTEGER UNIQUE);
    CREATE TABLE rowless (id TEXT PRIMARY KEY, n INTEGER, u INTEGER UNIQUE) WITHOUT ROWID;
    CREATE TABLE pair (
      a INTEGER REFERENCES plain (id) ON DELETE CASCADE ON UPDATE CASCADE, b TEXT, c INTEGER, PRIMARY KEY (a, b));
    """

  private static let triggers = """
    CREATE TRIGGER ta AFTER DELETE ON worded BEGIN UPDATE rowless SET n = n + 1 WHERE id = old.id; END;
    CREATE TRIGGER tb AFTER UPDATE OF n ON plain BEGIN
      INSERT OR IGNORE INTO worded VALUES ('t' || new.id, new.n, new.n + 100);
    END;
    """
}

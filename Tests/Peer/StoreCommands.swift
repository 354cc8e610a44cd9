import Foundation
import Stores

/// A database, written by this process.
///
/// - `store-open PATH`: open it, and create the table `counter` if missing
/// - `store-count TIMES`: increment the counter as many times, each in its own transaction
/// - `store-loop`: write pairs of equal numbers endlessly, one pair per transaction, until `store-stop` or death
/// - `store-stop`: end that, and return the number of pairs
final class StoreCommands: CommandFamily {
  private var database: Database?
  private var loop: Loop?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "store-open":
      let database = try Database(.file(URL(filePath: command.argument())))
      try database.write { transaction in
        try transaction.execute(
          script: """
            CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
            CREATE TABLE IF NOT EXISTS pair (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL);
            INSERT OR IGNORE INTO counter VALUES (1, 0);
            """)
      }
      self.database = database
    case "store-count":
      let database = try opened()
      for _ in 0..<(try command.number(command.argument())) {
        try database.write { try $0.execute("UPDATE counter SET n = n + 1 WHERE id = 1") }
      }
    case "store-loop":
      let database = try opened()
      loop = Loop { round in
        try database.write { transaction in
          let id = try transaction.value("INSERT INTO pair (a, b) VALUES (?, 0) RETURNING id", round)
          try transaction.execute("UPDATE pair SET b = a WHERE id = ?", id)
        }
      }
    case "store-stop":
      guard let loop else { throw CommandError(description: "nothing is running") }
      self.loop = nil
      return try "\(loop.stop())"
    default: return nil
    }
    return ""
  }

  private func opened() throws -> Database {
    guard let database else { throw CommandError(description: "no database is open") }
    return database
  }
}

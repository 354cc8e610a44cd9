import Foundation
import Signals
import Stores

/// A database, written by this process.
///
/// - `store-open PATH`: open it, and create the table `counter` if missing
/// - `store-count TIMES`: increment the counter as many times, each in its own transaction
/// - `store-loop`: write pairs of equal numbers endlessly, one pair per transaction, until `store-stop` or death
/// - `store-stop`: end that, and return the number of pairs
/// - `store-value`: return the counter; `store-backup PATH`: copy the database
/// - `backup-stop PATH COPY`: open a database, begin to copy it, report `copying`, and stay there
/// - `cache-open PATH`: open a cache with the table `entry`
/// - `cache-put KEY`: insert a row into it
/// - `cache-count`: return the number of its rows
/// - `cache-follow`: report `count NUMBER` for each number of its rows
final class StoreCommands: CommandFamily {
  private struct Entry: StoreModel {
    static let table = TableSpec("entry")
    var id: Int
  }

  private let console: Console
  private var database: Database?
  private var subscription: SignalSubscription?

  init(console: Console) {
    self.console = console
  }

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
    case "store-value":
      return try "\(opened().read { try $0.value("SELECT n FROM counter WHERE id = 1") })"
    case "store-backup": try opened().backup(to: URL(filePath: command.argument()))
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
    case "backup-stop":
      let arguments = try command.arguments(2)
      try Database(.file(URL(filePath: arguments[0]))).backup(to: URL(filePath: arguments[1])) { [console] _ in
        console.report("copying")
        while true { sleep(60) }
      }
    case "cache-open":
      database = try Database(
        .file(URL(filePath: command.argument())), schema: Schema(version: 1, models: [Entry.self]), policy: .cache)
    case "cache-put":
      let entry = Entry(id: try command.number(command.argument()))
      try opened().write { try $0.put(entry) }
    case "cache-count":
      return try "\(opened().read { try $0.count(Entry.self) })"
    case "cache-follow":
      subscription = try opened().observe { try $0.count(Entry.self) }.sink { [console] in
        console.report("count \($0)")
      }
    default: return nil
    }
    return ""
  }

  private func opened() throws -> Database {
    guard let database else { throw CommandError(description: "no database is open") }
    return database
  }
}

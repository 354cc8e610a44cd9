import AppGroups
import Foundation
import Signals
import Stores
import TestSupport

/// Databases that several processes share.
///
/// - `share-database PATH CONTAINER AUTHOR`: open a database and share its table `item`
/// - `insert-items N TEXT`: insert N rows, each in its own transaction
/// - `change-items SEED`: insert, update and delete rows at random, in transactions of 1 to 5 changes, until
///   `stop-changing`
/// - `follow-items`: report each change of others as `change SEQUENCE AUTHOR INSERTED UPDATED DELETED`
/// - `follow-saves`: report each change as `saved SEQUENCE`
/// - `unshare`: end the share, and close the database
final class ShareCommands: CommandFamily {
  private let console: Console
  private var database: Database?
  private var share: DatabaseShare?
  private var loop: Loop?
  private var subscriptions: Set<SignalSubscription> = []

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "share-database":
      let arguments = try command.arguments(3)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[1], directoryHint: .isDirectory))
      let database = try Database(.file(URL(filePath: arguments[0])), busyTimeout: .seconds(60))
      try database.write {
        try $0.execute(script: "CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, text TEXT)")
      }
      self.database = database
      share = try DatabaseShare(
        database, container: container, author: arguments[2], tables: ["item"], lockTimeout: .zero)
    case "insert-items":
      let arguments = try command.arguments(2)
      let database = try opened()
      for number in 0..<(try command.number(arguments[0])) {
        try database.write { try $0.execute("INSERT INTO item (text) VALUES (?)", "\(arguments[1]) \(number)") }
      }
    case "change-items":
      let database = try opened()
      nonisolated(unsafe) var chance = Chance(seed: UInt64(try command.number(command.argument())))
      loop = Loop { _ in try Self.changeAtRandom(database, &chance) }
    case "stop-changing":
      guard let loop else { throw CommandError(description: "nothing is running") }
      self.loop = nil
      return "\(try loop.stop())"
    case "follow-items":
      let console = console
      share?.failures.sink { console.report("failure \($0)") }.store(in: &subscriptions)
      share?.incoming.sink { changes in
        let item = changes["item"]
        console.report(
          "change \(changes.sequence) \(changes.author ?? "") \(item.inserted.count) \(item.updated.count) "
            + "\(item.deleted.count)")
      }.store(in: &subscriptions)
    case "follow-saves":
      let console = console
      share?.outgoing.sink { console.report("saved \($0.sequence)") }.store(in: &subscriptions)
    case "unshare":
      subscriptions = []
      share?.close()
      share = nil
      database = nil
    default: return nil
    }
    return ""
  }

  /// Changes rows in a small range of keys, so that processes conflict.
  private static func changeAtRandom(_ database: Database, _ chance: inout Chance) throws {
    try database.write { transaction in
      for _ in 0...chance.number(below: 5) {
        let id = chance.number(below: 200)
        switch chance.number(below: 3) {
        case 0: try transaction.execute("DELETE FROM item WHERE id = ?", id)
        case 1: try transaction.execute("UPDATE item SET text = ? WHERE id = ?", "\(chance.next())", id)
        default:
          try transaction.execute(
            "INSERT INTO item (id, text) VALUES (?, ?) ON CONFLICT DO NOTHING", id, "\(chance.next())")
        }
      }
    }
  }

  private func opened() throws -> Database {
    guard let database else { throw CommandError(description: "no database is open") }
    return database
  }
}

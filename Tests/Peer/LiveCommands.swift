import AppGroups
import Foundation
import Stores
import TestSupport

/// A database that this process changes in random transactions, which another process observes.
///
/// - `live-open PATH`: open it
/// - `live-share PATH CONTAINER AUTHOR`: open it, and share it in a container under a name
/// - `live-step SEED`: run one transaction
/// - `live-loop SEED`: run transactions endlessly, until death
final class LiveCommands: CommandFamily {
  private var database: Database?
  private var share: DatabaseShare?
  private var loop: Loop?

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "live-open":
      database = try Database(.file(URL(filePath: command.argument())), busyTimeout: .seconds(60))
    case "live-share":
      let arguments = try command.arguments(3)
      let container = try AppGroupsContainer(directory: URL(filePath: arguments[1], directoryHint: .isDirectory))
      let database = try Database(.file(URL(filePath: arguments[0])), busyTimeout: .seconds(60))
      self.database = database
      share = try DatabaseShare(database, container: container, author: arguments[2])
    case "live-step":
      var chance = Chance(seed: UInt64(try command.number(command.argument())))
      try Self.step(try opened(), &chance)
    case "live-loop":
      let database = try opened()
      nonisolated(unsafe) var chance = Chance(seed: UInt64(try command.number(command.argument())))
      loop = Loop { _ in try Self.step(database, &chance) }
    default: return nil
    }
    return ""
  }

  private static func step(_ database: Database, _ chance: inout Chance) throws {
    let statements = RandomTransactions.next(&chance)
    try database.write { transaction in
      for statement in statements {
        // A visit of a missing place is refused.
        do { try transaction.execute(statement) } catch DatabaseError.constraint {}
      }
    }
  }

  private func opened() throws -> Database {
    guard let database else { throw CommandError(description: "no database is open") }
    return database
  }
}

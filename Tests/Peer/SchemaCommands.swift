import Foundation
import Stores

/// Opens databases with a schema that has two versions.
///
/// - `schema-open PATH VERSION`: open and close the file, and return its content
/// - `schema-stop PATH`: begin to migrate the file, report `migrating`, and stay there
final class SchemaCommands: CommandFamily {
  private struct Run: StoreModel {
    static let table = TableSpec("run")
    var id: Int
  }

  private struct Note: StoreModel {
    static let table = TableSpec("note")
    var id: UUID
    var text: String
  }

  private let console: Console

  init(console: Console) {
    self.console = console
  }

  func perform(_ command: Command) throws -> String? {
    switch command.word {
    case "schema-open":
      let arguments = try command.arguments(2)
      return try open(arguments[0], version: command.number(arguments[1])) {}
    case "schema-stop":
      return try open(command.argument(), version: 2) { [console] in
        console.report("migrating")
        while true { sleep(60) }
      }
    default: return nil
    }
  }

  private func open(_ path: String, version: Int, _ body: @escaping @Sendable () -> Void) throws -> String {
    let schema =
      version == 1
      ? Schema(version: 1, models: [Run.self])
      : Schema(version: 2, models: [Run.self, Note.self]) {
        MigrationStep(to: 2) { migration in
          try migration.put(Run(id: Int(getpid())))
          body()
        }
      }
    let database = try Database(.file(URL(filePath: path)), schema: schema, busyTimeout: .seconds(240))
    defer { withExtendedLifetime(database) {} }
    return switch database.schemaOutcome {
    case .created: "created"
    case .current: "current"
    case .migrated: "migrated"
    default: "\(String(describing: database.schemaOutcome))"
    }
  }
}

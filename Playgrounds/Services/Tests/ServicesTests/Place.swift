import Foundation
import Logging
import SignalsKit

/// A directory of a test, which is removed with it.
final class Place: Sendable {
  let container: AppGroupsContainer

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "services-\(UUID().uuidString)")
    container = try AppGroupsContainer(directory: url)
  }

  deinit {
    do { try FileManager.default.removeItem(at: container.containerURL) } catch { print(error) }
  }

  var url: URL { container.containerURL }

  func file<Value: Codable & Sendable>(_ name: String, _ value: Value) throws -> AppGroupsFile<Value> {
    try AppGroupsFile(name: name, initialValue: value, container: container)
  }

  func queue(_ database: Database) -> WorkQueue<String> { WorkQueue("letters", in: database) }

  /// The database of the program `letters`.
  func database() throws -> Database {
    try Database(
      .file(url.appending(path: "letters.sqlite")), schema: Schema(version: 1, models: [Letter.self]),
      busyTimeout: .seconds(30))
  }
}

/// A letter, as the program `letters` stores it.
struct Letter: StoreModel {
  static let table = TableSpec("letter")
  var id: Int64
  var text: String
}

/// The settings of the program `letters`.
struct LetterSettings: Codable, Sendable {
  var level = Logger.Level.info
}

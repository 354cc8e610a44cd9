import Containers
import Foundation
import TestSupport
import Testing

typealias Environment = AppContainer.Environment

/// The identifier that another process has printed.
func identifier(_ text: String) throws -> UUID { try #require(UUID(uuidString: text)) }

/// A root for one test, with some content.
struct Fixture: Sendable {
  let directory: TemporaryDirectory
  let root: URL

  init(filled: Bool = true) throws {
    directory = try TemporaryDirectory()
    root = directory.url.appending(path: "home", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    if filled { try Tree.fill(root, seed: 1) }
  }

  func open() throws -> AppContainer { try AppContainer(home: root) }

  func url(_ path: String) -> URL { root.appending(path: path) }

  func write(_ text: String, to path: String) throws { try Tree.write(text, to: url(path)) }

  func text(_ path: String) -> String? { Tree.text(url(path)) }

  func exists(_ path: String) -> Bool { Tree.exists(url(path)) }

  /// The live files as one value.
  func live() throws -> [String: String] { try Tree.listing(root) }

  /// The files of an inactive environment.
  func data(_ environment: Environment) -> URL { url(".containers/\(environment.id)/data") }
}

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
  let layout = RootLayout.current

  init(filled: Bool = true) throws {
    directory = try TemporaryDirectory()
    root = directory.url.appending(path: "home", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    try layout.prepare(root)
    if filled { try Tree.fill(root, seed: 1) }
  }

  func open() throws -> AppContainer { try layout.open(root) }

  /// Returns the URL of a path in the root; the records are where the layout has them.
  func url(_ path: String) -> URL {
    let isRecord = path == ".containers" || path.hasPrefix(".containers/")
    return root.appending(path: isRecord ? layout.hidden + path.dropFirst(".containers".count) : path)
  }

  func write(_ text: String, to path: String) throws { try Tree.write(text, to: url(path)) }

  func text(_ path: String) -> String? { Tree.text(url(path)) }

  func exists(_ path: String) -> Bool { Tree.exists(url(path)) }

  /// The live files as one value.
  func live() throws -> [String: String] { try listing(root) }

  /// Returns the names in a directory of the root that the layout does not keep in place, even if they are not text.
  func foreignNames(in path: String = "") throws -> [String] {
    guard exists(path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: url(path).path).filter { name in
      let path = path.isEmpty ? name : "\(path)/\(name)"
      return !layout.isKept(path)
    }
  }

  /// The files of an environment as one value, without directories that the layout keeps in place.
  func listing(_ url: URL) throws -> [String: String] {
    try Tree.listing(url).filter { path, _ in !layout.isKept(path) }
  }

  /// The files of an inactive environment.
  func data(_ environment: Environment) -> URL { url(".containers/\(environment.id)/data") }
}

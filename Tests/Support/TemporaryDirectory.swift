public import Foundation

/// A directory of one test's own, which is removed, with all that is in it, when the last reference to it is released.
public final class TemporaryDirectory: Sendable {
  /// Where it is; symbolic links are resolved.
  public let url: URL

  /// Makes a directory in another, or in the system's temporary directory.
  public init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    url = parent.resolvingSymlinksInPath().appending(path: "signals-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A test that fails may leave it without permissions; a leftover is no reason to fail another.
    try? FileManager.default.removeItem(at: url)
  }

  /// The place of a file in the directory; nothing is made.
  public func file(_ name: String) -> URL {
    url.appending(path: name, directoryHint: .notDirectory)
  }

  /// Makes a directory in the directory, with all that lead to it.
  public func makeFolder(_ name: String) throws -> URL {
    let url = url.appending(path: name, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  /// The names of everything in the directory or in one below it, hidden ones included, in order.
  public func names(in subdirectory: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.appending(path: subdirectory).path).sorted()
  }
}

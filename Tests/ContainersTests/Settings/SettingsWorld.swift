import Foundation
import TestSupport

/// A root, and a directory for Foundation's own storage, so that the user's files are not touched.
struct SettingsWorld {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["home", "config", "data"] {
      try FileManager.default.createDirectory(
        at: directory.url.appending(path: name), withIntermediateDirectories: true)
    }
  }

  /// Opens a copy of the files that an earlier version of the package wrote.
  init(_ stored: StoredFormat) throws {
    directory = try stored.copy()
  }

  var home: URL { directory.url.appending(path: "home", directoryHint: .isDirectory) }

  var root: String { home.path }

  func config(_ suite: String) -> URL { directory.url.appending(path: "config/\(suite).plist") }

  func settings(_ id: String, _ name: String) -> URL {
    directory.url.appending(path: "home/.containers/\(id)/settings/\(name)")
  }

  /// A process whose user directories are here.
  func peer() throws -> PeerProcess {
    try PeerProcess(
      executable: URL(filePath: "/usr/bin/env"),
      arguments: [
        "XDG_CONFIG_HOME=\(directory.url.appending(path: "config").path)",
        "XDG_DATA_HOME=\(directory.url.appending(path: "data").path)",
        "HOME=\(directory.url.path)", PeerProcess.builtExecutable.path,
      ])
  }
}

/// The identifier of the default environment.
let zero = "00000000-0000-0000-0000-000000000000"

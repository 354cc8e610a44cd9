import FileSignals
public import Foundation

/// The location of a database.
public enum DatabaseLocation: Hashable, Sendable {
  /// A file, which is created if it is missing.
  ///
  /// SQLite keeps two more files beside it, whose names end in `-wal` and `-shm`. They stay when the database is
  /// closed, and are part of it: move or remove them only together with it.
  ///
  /// The file's directory must exist and be on a local file system, because SQLite's locks and shared memory do not
  /// work across a network.
  case file(URL)

  /// Memory that is private to the object, and is released with the last reference to it.
  case memory

  /// The same location without symbolic links in its path, as SQLite resolves it.
  ///
  /// SQLite follows links, and keeps its other files beside the file itself. All connections, watches and files beside a
  /// database use this location, so that they belong to the same file, wherever a link leads later. A location that
  /// cannot be resolved is returned unchanged, and SQLite reports the reason.
  var resolved: DatabaseLocation {
    guard case .file(let url) = self, let path = canonicalPath(ofFile: url.path) else { return self }
    return .file(URL(fileURLWithPath: path, isDirectory: false))
  }

  /// The file; `nil` for a database in memory.
  var url: URL? { if case .file(let url) = self { url } else { nil } }

  /// The path for SQLite and for messages.
  var path: String {
    switch self {
    case .file(let url): url.path
    case .memory: ":memory:"
    }
  }
}

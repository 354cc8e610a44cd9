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

  /// The path for SQLite and for messages.
  var path: String {
    switch self {
    case .file(let url): url.path
    case .memory: ":memory:"
    }
  }
}

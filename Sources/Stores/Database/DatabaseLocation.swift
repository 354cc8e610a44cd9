public import Foundation

/// Where a database is.
public enum DatabaseLocation: Hashable, Sendable {
  /// In a file, which is made if there is none; SQLite keeps two more beside it, whose names end in `-wal` and `-shm`.
  /// They stay when the database is closed, and are a part of it: move or remove them with it, never alone.
  ///
  /// The file's directory must exist and lie on a file system of this machine: SQLite's locks and shared memory do not
  /// work across a network.
  case file(URL)

  /// In memory, private to the object, and removed with the last reference to it.
  case memory

  /// The path, for SQLite and for messages.
  var path: String {
    switch self {
    case .file(let url): url.path
    case .memory: ":memory:"
    }
  }
}

import FileSignals
public import Foundation

/// The location of a database.
@nonexhaustive
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

/// The access of a process to a database.
@nonexhaustive
public enum DatabaseAccess: Hashable, Sendable {
  /// The process reads and writes, and creates the file if it is missing.
  case readWrite

  /// The process only reads, while others write, as in an extension of an application.
  ///
  /// Nothing is created, migrated or changed. The two files of the log must exist beside the file, or the directory
  /// must be writable. The log files that this package writes stay in place.
  case readOnly

  /// The process only reads, and no process writes, as with a file in an application's bundle.
  ///
  /// No lock is taken, and no log is read. If a process writes the file all the same, reads may mix old and new
  /// content.
  case immutable
}

/// The rule for a file that does not match the schema.
@nonexhaustive
public enum DatabasePolicy: Hashable, Sendable {
  /// The contents exist nowhere else, so they are never removed.
  ///
  /// A file that cannot be opened is an error, and a migration copies the file first.
  case persistence

  /// The contents can be obtained again.
  ///
  /// A file that is damaged, has a newer version, or cannot be migrated is emptied.
  case cache

  /// Another process creates and migrates the file, and this one opens only a file of its version.
  ///
  /// Any other file throws ``SchemaError/notReady(found:expected:)``. Use it in an extension of an application, which the
  /// system may end at any time, even during a long migration.
  case guest
}

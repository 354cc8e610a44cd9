/// The access of a process to a database.
public enum DatabaseAccess: Hashable, Sendable {
  /// It reads and writes, and makes the file if there is none.
  case readWrite

  /// The process only reads, while others write: an extension of an application, for example.
  ///
  /// Nothing is created, migrated or changed. The two files of the log must exist beside the file, or the directory
  /// must be writable. The log files that this package writes stay in place.
  case readOnly

  /// The process only reads, and no process writes: a file in an application's bundle, for example.
  ///
  /// No lock is taken, and no log is read. If a process writes the file all the same, reads may mix old and new content.
  case immutable
}

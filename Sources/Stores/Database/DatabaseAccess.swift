/// The access of a process to a database.
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

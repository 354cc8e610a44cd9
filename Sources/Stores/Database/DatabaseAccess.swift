/// What a process may do with a database.
public enum DatabaseAccess: Hashable, Sendable {
  /// It reads and writes, and makes the file if there is none.
  case readWrite

  /// It only reads, while others write: such as an application's extension, or a program that looks at another one's
  /// data.
  ///
  /// Nothing is made, migrated or changed. Beside the file the two of its log must be there, or the directory be
  /// writable; those that this package has written stay there.
  case readOnly

  /// It only reads, and nobody writes: the file is part of an application, say, or on a file system that cannot be
  /// written.
  ///
  /// No lock is taken, and no log read. If somebody does write the file meanwhile, what is read may be neither old nor
  /// new.
  case immutable
}

/// The rule for a file that does not match the schema.
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

/// What may be done with a file that is not as the schema says.
public enum DatabasePolicy: Hashable, Sendable {
  /// What is in the file exists nowhere else. It is never removed: what cannot be opened is told, and before a
  /// migration the file is copied.
  case persistence

  /// What is in the file can be had again. If the file is damaged, of a newer version, or cannot be migrated, it is
  /// emptied.
  case cache

  /// Another process makes and migrates the file, and this one only opens what is of its version; otherwise it is told
  /// by ``SchemaError/notReady(found:expected:)``. An application's extension should open the application's database
  /// so: the system may end it at any time, also in the midst of a long migration.
  case guest
}

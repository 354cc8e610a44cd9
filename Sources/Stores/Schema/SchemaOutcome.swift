/// The outcome of opening a database with a schema.
public enum SchemaOutcome: Hashable, Sendable {
  /// The file had the current version.
  case current

  /// There was no file, or it was empty.
  case created

  /// The file had an older version and has been migrated.
  ///
  /// The copy made before is at `backup`.
  case migrated(from: Int, backup: String?)

  /// The file, a cache, was unusable and has been replaced with an empty one.
  case rebuilt(reason: DatabaseError)
}

/// What was found when a database was opened.
public enum SchemaOutcome: Hashable, Sendable {
  /// The file was of this version.
  case current

  /// There was no file, or an empty one.
  case created

  /// The file was of an older version, and has been migrated; the copy made before lies at `backup`.
  case migrated(from: Int, backup: String?)

  /// The file, a cache, could not be used for a reason, and has been replaced by an empty one.
  case rebuilt(reason: DatabaseError)
}

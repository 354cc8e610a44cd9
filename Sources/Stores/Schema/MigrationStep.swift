/// A step that migrates a file to one version of a ``Schema`` from the previous version.
public struct MigrationStep: Sendable {
  /// The version of the file after the step.
  package let version: Int

  let body: @Sendable (Migration) throws -> Void

  /// Creates a step.
  ///
  /// Tables of new models and all indexes are created automatically. If nothing else has to be done, omit the closure.
  /// A step to version 1 takes over a file whose tables were not created by this package.
  ///
  /// - Parameters:
  ///   - version: The version of the file after the step.
  ///   - body: A closure that changes tables and rows. If it throws an error, all steps are rolled back.
  public init(to version: Int, _ body: @escaping @Sendable (Migration) throws -> Void = { _ in }) {
    self.version = version
    self.body = body
  }
}

/// A result builder for the steps of a ``Schema``.
@resultBuilder
public enum MigrationBuilder: Sendable {
  /// Combines steps into an array.
  public static func buildBlock(_ steps: MigrationStep...) -> [MigrationStep] { steps }
}

/// The progress of a migration.
@nonexhaustive
public enum MigrationProgress: Hashable, Sendable {
  /// Nothing has been migrated.
  case idle

  /// The file at a path is being copied.
  case backingUp(path: String)

  /// A step is running.
  ///
  /// If it transforms a table, the numbers of processed rows and of all rows are included.
  case migrating(path: String, to: Int, rows: Int, of: Int)

  /// The file has been migrated.
  case finished(path: String, version: Int)

  /// The migration failed, and the file is unchanged.
  case failed(path: String)
}

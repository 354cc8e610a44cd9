public import Signals

/// What a database is to contain: its models, a version, and the steps from each version to the next.
///
/// ```swift
/// import Stores
///
/// struct Person: StoreModel {
///   static let table = TableSpec("person", indexes: ["level"])
///   var id: Int
///   var fullName: String
///   var level: Int
/// }
///
/// let schema = Schema(version: 3, models: [Person.self]) {
///   MigrationStep(to: 2) { try $0.addColumn("level", .integer, to: "person", default: 1) }
///   MigrationStep(to: 3) { try $0.renameColumn("name", of: "person", to: "fullName") }
/// }
/// print(schema.version)  // Prints "3"
/// ```
///
/// A new file gets the tables of the models as they are now, without any step. A file of an older version is migrated: all its
/// missing steps run, in order and in one transaction, so that after an error, or a crash, it is as it was before. If several
/// threads or processes open the same file, one of them migrates it and the others wait.
///
/// Whoever changes a model so that its columns change must raise the version and add a step. If that is forgotten, opening says
/// so, by ``SchemaError/mismatch(table:reason:)``, before any row is read. The version of a file is its `user_version`.
///
/// > Important: Steps are history: once released, they stay as they are. A step that mentions a model means the model as it is
/// > today; let ``Migration/transform(_:from:_:)`` use types of their own that are never changed, such as `PersonV2`.
public struct Schema: Sendable {
  /// The number of the newest version, from 1.
  public let version: Int

  /// The models that the database has tables of.
  public let models: [any StoreModel.Type]

  let steps: [MigrationStep]
  let mutableProgress = MutableProperty(MigrationProgress.idle)

  /// How far the migration of a file is that is being opened with this schema, or with a copy of it.
  ///
  /// Observe it before the database is opened: opening returns when the migration has ended. What is called here runs on the
  /// thread that migrates.
  public var progress: Property<MigrationProgress> { mutableProgress }

  /// Describes what a database contains.
  ///
  /// - Parameters:
  ///   - version: The number of this version, from 1.
  ///   - models: The models that have tables.
  ///   - steps: What leads from each version to the next; older versions than the first step's cannot be opened.
  public init(
    version: Int,
    models: [any StoreModel.Type],
    @MigrationBuilder steps: () -> [MigrationStep] = { [] }
  ) {
    self.version = version
    self.models = models
    self.steps = steps()
  }
}

/// What leads to one version of a ``Schema`` from the version before it.
public struct MigrationStep: Sendable {
  /// The version that the file has afterwards.
  public let version: Int

  let body: @Sendable (Migration) throws -> Void

  /// Describes a step.
  ///
  /// New models get their tables, and all models their indexes, without being mentioned. If nothing else is to be done, leave
  /// the closure out. The step to version 1 is that which takes over a file whose tables this package has not made.
  ///
  /// - Parameters:
  ///   - version: The version that the file has afterwards.
  ///   - body: Changes tables and rows. What it throws undoes all steps.
  public init(to version: Int, _ body: @escaping @Sendable (Migration) throws -> Void = { _ in }) {
    self.version = version
    self.body = body
  }
}

/// Gathers the steps of a ``Schema``.
@resultBuilder
public enum MigrationBuilder: Sendable {
  /// Gathers steps.
  public static func buildBlock(_ steps: MigrationStep...) -> [MigrationStep] { steps }
}

/// How far a migration is.
public enum MigrationProgress: Hashable, Sendable {
  /// Nothing has been migrated.
  case idle

  /// The file at a path is being copied.
  case backingUp(path: String)

  /// A step is running; if it transforms a table, so many rows of all are done.
  case migrating(path: String, to: Int, rows: Int, of: Int)

  /// The file has been migrated.
  case finished(path: String, version: Int)

  /// The file could not be migrated, and is as it was before.
  case failed(path: String)
}

/// What may be done with a file that is not as the schema says.
public enum DatabasePolicy: Hashable, Sendable {
  /// What is in the file exists nowhere else. It is never removed: what cannot be opened is told, and before a migration the
  /// file is copied.
  case persistence

  /// What is in the file can be had again. If the file is damaged, of a newer version, or cannot be migrated, it is emptied.
  case cache

  /// Another process makes and migrates the file, and this one only opens what is of its version; otherwise it is told by
  /// ``SchemaError/notReady(found:expected:)``. An application's extension should open the application's database so: the system
  /// may end it at any time, also in the midst of a long migration.
  case guest
}

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

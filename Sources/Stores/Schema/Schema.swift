public import Signals

/// The contents of a database: its models, a version, and the steps from each version to the next.
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
/// ```
///
/// A new file gets the current tables of the models, without running steps. A closure may fill it with the first rows,
/// in the transaction that creates the tables:
///
/// ```swift
/// import Stores
///
/// struct City: StoreModel {
///   static let table = TableSpec("city")
///   var id: Int
///   var name: String
/// }
///
/// let schema = Schema(version: 1, models: [City.self], creation: { try $0.put(City(id: 1, name: "Rome")) })
/// let database = try Database(.memory, schema: schema)
/// print(try database.read { try $0.count(City.self) })  // Prints "1"
/// ```
///
/// A file with an older version is migrated:
/// all missing steps run in order, in one transaction. After an error or a crash, the file is therefore unchanged. If
/// several threads or processes open the same file, one of them migrates it and the others wait.
///
/// If you change the columns of a model, increase the version and add a step. If you forget this, opening the database
/// throws ``SchemaError/mismatch(table:differences:)`` before any row is read. The version of a file is its
/// `user_version`.
///
/// > Important: Never change a step after its release. A step that uses a model uses its current definition. For
/// > ``Migration/transform(_:from:_:)``, define separate types that never change, such as `PersonV2`.
public struct Schema: Sendable {
  /// The newest version, from 1.
  package let version: Int

  /// The models whose tables the database contains.
  package let models: [any StoreModel.Type]

  let steps: [MigrationStep]
  let creation: @Sendable (Migration) throws -> Void
  let mutableProgress = MutableProperty(MigrationProgress.idle)

  /// The progress of the migration of a file that is being opened with this schema or a copy of it.
  ///
  /// Observe it before you open the database, because opening returns after the migration has ended. Subscribers are
  /// called on the thread that migrates.
  public var progress: Property<MigrationProgress> { mutableProgress }

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - version: This version, from 1.
  ///   - models: The models that have tables.
  ///   - steps: The steps from each version to the next. Versions older than the first step's cannot be opened.
  ///   - creation: A closure that fills a new file. It is called once, in the transaction that creates the tables and
  ///     indexes, and again if a cache is emptied. If it throws, the file stays empty.
  public init(
    version: Int,
    models: [any StoreModel.Type],
    @MigrationBuilder steps: () -> [MigrationStep] = { [] },
    creation: @escaping @Sendable (Migration) throws -> Void = { _ in }
  ) {
    self.version = version
    self.models = models
    self.steps = steps()
    self.creation = creation
  }
}

/// The outcome of opening a database with a schema.
@nonexhaustive
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

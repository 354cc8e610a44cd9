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
/// A new file gets the tables of the models as they are now, without any step. A file of an older version is migrated:
/// all its missing steps run, in order and in one transaction, so that after an error, or a crash, it is as it was
/// before. If several threads or processes open the same file, one of them migrates it and the others wait.
///
/// Whoever changes a model so that its columns change must raise the version and add a step. If that is forgotten,
/// opening says so, by ``SchemaError/mismatch(table:reason:)``, before any row is read. The version of a file is its
/// `user_version`.
///
/// > Important: Steps are history: once released, they stay as they are. A step that mentions a model means the model
/// as > it is today; let ``Migration/transform(_:from:_:)`` use types of their own that are never changed, such as >
/// `PersonV2`.
public struct Schema: Sendable {
  /// The number of the newest version, from 1.
  public let version: Int

  /// The models that the database has tables of.
  public let models: [any StoreModel.Type]

  let steps: [MigrationStep]
  let mutableProgress = MutableProperty(MigrationProgress.idle)

  /// How far the migration of a file is that is being opened with this schema, or with a copy of it.
  ///
  /// Observe it before the database is opened: opening returns when the migration has ended. What is called here runs
  /// on the thread that migrates.
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

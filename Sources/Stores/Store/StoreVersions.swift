/// What the databases of a store contain, and in which versions.
///
/// The three are independent of each other. To go on with the data of older versions, give the schemas their steps:
///
/// ```swift
/// import Stores
///
/// struct Note: StoreModel {
///   static let table = TableSpec("note")
///   var id: Int
///   var text: String
/// }
///
/// let versions = StoreVersions(
///   persistence: Schema(version: 2, models: [Note.self]) {
///     MigrationStep(to: 2) { try $0.renameColumn("body", of: "note", to: "text") }
///   }
/// )
/// print(versions.persistence?.version ?? 0)  // Prints "2"
/// ```
public struct StoreVersions: Sendable {
  /// What ``Store/cache`` contains.
  public var cache: Schema?

  /// What ``Store/memory`` contains.
  public var memory: Schema?

  /// What ``Store/persistence`` contains.
  public var persistence: Schema?

  /// Describes the databases one by one.
  ///
  /// - Parameters:
  ///   - cache: What the cache contains; without a schema, tables are your own affair.
  ///   - memory: What the database in memory contains.
  ///   - persistence: What the persistent database contains.
  public init(cache: Schema? = nil, memory: Schema? = nil, persistence: Schema? = nil) {
    self.cache = cache
    self.memory = memory
    self.persistence = persistence
  }

  /// Describes databases that contain the same models, and have no older versions to migrate.
  ///
  /// - Parameters:
  ///   - cacheVersion: The version of the cache; another one empties it.
  ///   - persistenceVersion: The version of the persistent database.
  ///   - models: The models.
  public init(cacheVersion: Int, persistenceVersion: Int, models: [any StoreModel.Type]) {
    self.init(
      cache: Schema(version: cacheVersion, models: models),
      memory: Schema(version: 1, models: models),
      persistence: Schema(version: persistenceVersion, models: models))
  }
}

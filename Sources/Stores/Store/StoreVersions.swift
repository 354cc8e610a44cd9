/// The schemas of the databases of a store.
///
/// The three schemas are independent of each other. To keep the data of older versions, add migration steps to the
/// schemas:
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
/// ```
public struct StoreVersions: Sendable {
  /// The schema of ``Store/cache``.
  package var cache: Schema?

  /// The schema of ``Store/memory``.
  package var memory: Schema?

  /// The schema of ``Store/persistence``.
  package var persistence: Schema?

  /// Creates separate schemas for the databases.
  ///
  /// - Parameters:
  ///   - cache: The schema of the cache. Without a schema, you manage the tables yourself.
  ///   - memory: The schema of the database in memory.
  ///   - persistence: The schema of the persistent database.
  public init(cache: Schema? = nil, memory: Schema? = nil, persistence: Schema? = nil) {
    self.cache = cache
    self.memory = memory
    self.persistence = persistence
  }

  /// Creates the same schema for all databases, without migrations from older versions.
  ///
  /// - Parameters:
  ///   - cacheVersion: The version of the cache. A different version in the file empties it.
  ///   - persistenceVersion: The version of the persistent database.
  ///   - models: The models.
  public init(cacheVersion: Int, persistenceVersion: Int, models: [any StoreModel.Type]) {
    self.init(
      cache: Schema(version: cacheVersion, models: models),
      memory: Schema(version: 1, models: models),
      persistence: Schema(version: persistenceVersion, models: models))
  }
}

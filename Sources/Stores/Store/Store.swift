import AppGroups
import FileSignals
public import Foundation
import Signals

/// Three databases that belong together: a cache, one in memory, and one that lasts.
///
/// Each is opened when it is first asked for. In an app with sessions each user has a store of their own, in
/// directories of their own; `AppContext` gives it out.
///
/// Processes that have the same store open share the cache and the persistent database: ``Database/changes``, live
/// queries and rows of each follow the commits of the others.
public final class Store: Sendable {
  /// One of a user's databases.
  public enum Kind: Sendable, CaseIterable {
    /// What can be had again; the file is emptied when it cannot be used.
    case cache
    /// What lives as long as the context does.
    case memory
    /// What exists nowhere else; no file is ever removed but by a purge.
    case persistence
  }

  /// Where the file of the cache lies.
  public let cacheDirectory: URL

  /// Where the file of the persistent database lies.
  public let persistenceDirectory: URL

  private let versions: StoreVersions
  private let state = Guarded(State())

  private struct State {
    var opened: [Kind: Opened] = [:]
    var isClosed = false
  }

  /// Describes a store; nothing is opened or made yet.
  ///
  /// - Parameters:
  ///   - persistenceDirectory: The directory of the persistent database.
  ///   - cacheDirectory: The directory of the cache. It may be the same one.
  ///   - versions: What the databases contain.
  public init(persistenceDirectory: URL, cacheDirectory: URL, versions: StoreVersions) {
    self.persistenceDirectory = persistenceDirectory
    self.cacheDirectory = cacheDirectory
    self.versions = versions
  }

  /// What can be had again: emptied when it is damaged or of another version.
  public var cache: Database {
    get throws(DatabaseError) { try database(.cache) }
  }

  /// What lives as long as the context does.
  public var memory: Database {
    get throws(DatabaseError) { try database(.memory) }
  }

  /// What lasts: migrated, and never emptied.
  public var persistence: Database {
    get throws(DatabaseError) { try database(.persistence) }
  }

  /// One of the databases.
  ///
  /// - Parameter kind: Which.
  /// - Returns: The database, the same each time.
  /// - Throws: `DatabaseError` if it cannot be opened, or if the store is closed.
  public func database(_ kind: Kind) throws(DatabaseError) -> Database {
    try state.withLock { state throws(DatabaseError) in
      if let opened = state.opened[kind] { return opened.database }
      if state.isClosed { throw .closed(path: path(kind)) }
      let database = try open(kind)
      state.opened[kind] = Opened(database: database, share: try Self.share(database))
      return database
    }
  }

  /// Closes what is open, after all who use it are done; nothing is opened any more.
  ///
  /// A store whose session ends is closed by its context.
  public func close() {
    let opened = state.withLock { state in
      state.isClosed = true
      defer { state.opened = [:] }
      return Array(state.opened.values)
    }
    for opened in opened {
      opened.share?.end(isWaiting: false)
      do throws(DatabaseError) {
        try opened.database.close()
      } catch {
        // Asked for inside a transaction of this thread: it closes when the last reference is gone.
      }
    }
  }

  private func path(_ kind: Kind) -> String {
    switch kind {
    case .cache: cacheDirectory.appending(path: Self.fileName(kind)).path
    case .memory: ":memory:"
    case .persistence: persistenceDirectory.appending(path: Self.fileName(kind)).path
    }
  }

  private func open(_ kind: Kind) throws(DatabaseError) -> Database {
    switch kind {
    case .memory:
      try Database(.memory, schema: versions.memory)
    case .cache:
      try Database(.file(file(kind, in: cacheDirectory)), schema: versions.cache, policy: .cache)
    case .persistence:
      try Database(.file(file(kind, in: persistenceDirectory)), schema: versions.persistence, durability: .storage)
    }
  }

  /// The file of a database, in a directory that is made if need be.
  private func file(_ kind: Kind, in directory: URL) -> URL {
    var directory = directory
    do throws(AppGroupsError) {
      directory = try AppGroupsContainer(directory: directory).containerURL
    } catch {
      // SQLite will say what is wrong with it.
    }
    return directory.appending(path: Self.fileName(kind), directoryHint: .notDirectory)
  }

  private static func fileName(_ kind: Kind) -> String { "\(kind).sqlite" }
}

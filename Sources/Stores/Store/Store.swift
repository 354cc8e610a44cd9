public import AppGroups
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
///
/// A store in a ``/AppGroups/Scope`` belongs to the contents that it was opened in. When these are swapped, its
/// databases are closed, and it throws ``DatabaseError/swapped(path:)`` from then on.
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
  private let scope: Scope?
  private let state = Guarded(State())
  private let enrolment = Guarded<SignalSubscription?>(nil)

  private struct State {
    var opened: [Kind: Opened] = [:]
    var end: End?
  }

  private enum End {
    case closed
    case swapped
  }

  /// Describes a store; nothing is opened or made yet.
  ///
  /// - Parameters:
  ///   - persistenceDirectory: The directory of the persistent database.
  ///   - cacheDirectory: The directory of the cache. It may be the same one.
  ///   - versions: What the databases contain.
  ///   - scope: The directory that both directories are in, if its contents may be swapped for others.
  public init(persistenceDirectory: URL, cacheDirectory: URL, versions: StoreVersions, scope: Scope? = nil) {
    self.persistenceDirectory = persistenceDirectory
    self.cacheDirectory = cacheDirectory
    self.versions = versions
    self.scope = scope
    let enrolment = scope?.enrol(self)
    self.enrolment.withLock { $0 = enrolment }
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
    if let opened = state.withLock({ $0.opened[kind] }) { return opened.database }
    // The contents come before the lock, because a swap has them when it closes this store.
    return try Database.steadily(scope, kind == .memory ? .memory : .file(url(kind))) { () throws(DatabaseError) in
      try state.withLock { state throws(DatabaseError) in
        if let opened = state.opened[kind] { return opened.database }
        switch state.end {
        case .closed: throw .closed(path: path(kind))
        case .swapped: throw .swapped(path: path(kind))
        case nil: break
        }
        let database = try open(kind)
        state.opened[kind] = Opened(database: database, share: try Self.share(database))
        return database
      }
    }
  }

  /// Closes what is open, after all who use it are done; nothing is opened any more.
  ///
  /// A store whose session ends is closed by its context.
  public func close() {
    let (opened, isSwapped) = state.withLock { state in
      state.end = state.end ?? .closed
      defer { state.opened = [:] }
      return (Array(state.opened), state.end == .swapped)
    }
    for (kind, opened) in opened {
      opened.share?.end(isWaiting: false)
      // After a swap, databases in files have closed themselves, and say why.
      if isSwapped && kind != .memory { continue }
      do throws(DatabaseError) {
        try opened.database.close()
      } catch {
        // Asked for inside a transaction of this thread: it closes when the last reference is gone.
      }
    }
  }

  private func path(_ kind: Kind) -> String { kind == .memory ? ":memory:" : url(kind).path }

  private func url(_ kind: Kind) -> URL {
    (kind == .cache ? cacheDirectory : persistenceDirectory).appending(path: Self.fileName(kind))
  }

  private func open(_ kind: Kind) throws(DatabaseError) -> Database {
    switch kind {
    case .memory:
      try Database(.memory, schema: versions.memory)
    case .cache:
      try Database(
        .file(file(kind, in: cacheDirectory)), schema: versions.cache, policy: .cache, scope: scope,
        onSwap: .closes)
    case .persistence:
      try Database(
        .file(file(kind, in: persistenceDirectory)), schema: versions.persistence, durability: .storage, scope: scope,
        onSwap: .closes)
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

extension Store: ScopeMember {
  package func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    guard outcome == .swapped else { return }
    endBySwap()
    changes.afterwards { self.close() }
  }

  /// Opens no more databases, because the contents are swapped.
  ///
  /// Those that are open in files close themselves, and ``close()`` closes the one in memory.
  package func endBySwap() {
    state.withLock { $0.end = $0.end ?? .swapped }
  }
}

public import AppGroups
import FileSignals
public import Foundation
import Signals

/// Three related databases: a cache, a database in memory, and a persistent database.
///
/// Each database is opened on first use. In an app with sessions, each user has a separate store in separate
/// directories, which `AppContext` provides.
///
/// Processes that have the same store open share the cache and the persistent database: ``Database/changes``, live
/// queries and rows of each process follow the commits of the others.
///
/// A store in a ``/AppGroups/Scope`` belongs to the contents in which it was created. When the contents are switched,
/// its databases are closed, and the store throws ``DatabaseError/switched(path:)`` from then on.
public final class Store: Sendable {
  /// The kinds of databases in a store.
  @nonexhaustive
  public enum Kind: Sendable, CaseIterable {
    /// Data that can be fetched again.
    ///
    /// The file is emptied if it cannot be used.
    case cache
    /// Data that lives as long as the store is open.
    case memory
    /// Data that exists nowhere else.
    ///
    /// The store never empties or removes the file.
    case persistence
  }

  /// The directory of the cache.
  package let cacheDirectory: URL

  /// The directory of the persistent database.
  package let persistenceDirectory: URL

  private let versions: StoreVersions
  private let scope: Scope?
  private let state: Guarded<State>
  private let enrolment = Guarded<SignalSubscription?>(nil)

  private struct State {
    var opened: [Kind: Opened] = [:]
    var openings: Openings
    var end: End?
  }

  private enum End {
    case closed
    case switched
  }

  /// The action of a thread that asks for a database.
  private enum Turn {
    case returns(Database)
    case waits(for: Opening)
    case opens(Opening)
  }

  /// Creates a store, without opening or creating anything.
  ///
  /// - Parameters:
  ///   - persistenceDirectory: The directory of the persistent database.
  ///   - cacheDirectory: The directory of the cache. It may be the same one.
  ///   - versions: The schemas of the databases.
  ///   - scope: The directory that contains both directories, if its contents may be replaced by others.
  public init(persistenceDirectory: URL, cacheDirectory: URL, versions: StoreVersions, scope: Scope? = nil) {
    self.persistenceDirectory = persistenceDirectory
    self.cacheDirectory = cacheDirectory
    self.versions = versions
    self.scope = scope
    state = Guarded(State(openings: Openings(areFilesExclusive: scope != nil)))
    let enrolment = scope?.enrol(self)
    self.enrolment.withLock { $0 = enrolment }
  }

  /// The database of data that can be fetched again.
  ///
  /// It is emptied if it is damaged or has another version.
  public var cache: Database {
    get throws(DatabaseError) { try database(.cache) }
  }

  /// The database in memory, whose data lives as long as the store is open.
  public var memory: Database {
    get throws(DatabaseError) { try database(.memory) }
  }

  /// The database of data that exists nowhere else.
  ///
  /// It is migrated if its version is older, and never emptied.
  public var persistence: Database {
    get throws(DatabaseError) { try database(.persistence) }
  }

  /// Returns one of the databases.
  ///
  /// The first call opens the database, and other threads that ask for it wait. An open database is returned at once,
  /// even while another one is being migrated. A step of a migration can use the other databases of the store.
  ///
  /// - Parameter kind: The kind of the database.
  /// - Returns: The database, which is the same object each time.
  /// - Throws: `DatabaseError` if it cannot be opened, or if the store is closed.
  ///   ``DatabaseError/openingUnderWay(path:)`` in a step of a migration that has to end before the database is open.
  package func database(_ kind: Kind) throws(DatabaseError) -> Database {
    if let opened = state.withLock({ $0.opened[kind] }) { return opened.database }
    guard state.withLock({ $0.openings.await(kind) }) else { throw .openingUnderWay(path: path(kind)) }
    defer { state.withLock { _ = $0.openings.await(nil) } }
    // Acquire the lock of the contents first: a switch holds it while it closes this store, so the reverse order could
    // deadlock.
    return try Database.steadily(scope, kind == .memory ? .memory : .file(url(kind))) { () throws(DatabaseError) in
      while true {
        switch try turn(kind) {
        case .returns(let database): return database
        case .waits(let opening): opening.wait()
        case .opens(let opening): return try open(kind, opening)
        }
      }
    }
  }

  private func turn(_ kind: Kind) throws(DatabaseError) -> Turn {
    try state.withLock { state throws(DatabaseError) in
      if let opened = state.opened[kind] { return .returns(opened.database) }
      if let end = state.end { throw error(of: end, kind) }
      if let opening = state.openings[kind] { return .waits(for: opening) }
      let opening = Opening()
      state.openings[kind] = opening
      _ = state.openings.await(nil)
      return .opens(opening)
    }
  }

  private func open(_ kind: Kind, _ opening: Opening) throws(DatabaseError) -> Database {
    let result = Result { () throws(DatabaseError) in
      let database = try open(kind)
      return Opened(database: database, share: try Self.share(database))
    }
    let end = state.withLock { state in
      if state.end == nil, case .success(let opened) = result { state.opened[kind] = opened }
      return state.end
    }
    if let end, case .success(let opened) = result { close(opened, kind, isSwitched: end == .switched) }
    state.withLock { $0.openings[kind] = nil }
    opening.end()
    let database = try result.get().database
    if let end { throw error(of: end, kind) }
    return database
  }

  private func error(of end: End, _ kind: Kind) -> DatabaseError {
    switch end {
    case .closed: .closed(path: path(kind))
    case .switched: .switched(path: path(kind))
    }
  }

  /// Closes the open databases after their running transactions, and prevents others from being opened.
  ///
  /// A database that another thread is opening is closed when its migration has ended, and the call waits for that.
  /// Inside a step of a migration of the store, it does not wait.
  ///
  /// In an app with sessions, the store of a user is closed when the session ends.
  public func close() {
    let (opened, openings, isSwitched) = state.withLock { state in
      state.end = state.end ?? .closed
      defer { state.opened = [:] }
      let openings = state.openings.isOpeningOnThisThread ? [] : state.openings.others
      return (Array(state.opened), openings, state.end == .switched)
    }
    for (kind, opened) in opened { close(opened, kind, isSwitched: isSwitched) }
    for opening in openings { opening.wait() }
  }

  private func close(_ opened: Opened, _ kind: Kind, isSwitched: Bool) {
    opened.share?.end(isWaiting: false)
    // After a switch, databases in files have closed themselves, and report the reason.
    if isSwitched && kind != .memory { return }
    // This thread is inside a transaction of the database, which closes when its last reference is released.
    tolerating { try opened.database.close() }
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
        onSwitch: .closes)
    case .persistence:
      try Database(
        .file(file(kind, in: persistenceDirectory)), schema: versions.persistence, durability: .storage, scope: scope,
        onSwitch: .closes)
    }
  }

  /// Returns the file of a database, in a directory that is created if necessary.
  private func file(_ kind: Kind, in directory: URL) -> URL {
    var directory = directory
    // SQLite reports the problem with it.
    tolerating { directory = try AppGroupsContainer(directory: directory).containerURL }
    return directory.appending(path: Self.fileName(kind), directoryHint: .notDirectory)
  }

  private static func fileName(_ kind: Kind) -> String { "\(kind).sqlite" }
}

extension Store: ScopeMember {
  package func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    PreparedSwitch { [self] changes in
      guard outcome == .switched else { return }
      endBySwitch()
      changes.afterwards { self.close() }
    }
  }

  /// Prevents further databases from being opened, because the contents are switched.
  ///
  /// Open databases in files close themselves, and ``close()`` closes the database in memory.
  package func endBySwitch() {
    state.withLock { $0.end = $0.end ?? .switched }
  }
}

extension Store {
  /// An open database, and the share that connects it with other processes.
  struct Opened: Sendable {
    let database: Database
    let share: ShareEngine?
  }

  /// Shares a database with the other processes of the same user.
  ///
  /// The application does not choose an author's name, so one is generated, and no history is kept for it.
  ///
  /// - Returns: The share, or `nil` if the directory cannot be watched. The database then detects the writes of the
  ///   other processes in the same way as writes of other programs.
  static func share(_ database: Database) throws(DatabaseError) -> ShareEngine? {
    guard let url = database.file.location.url else { return nil }
    let author = "process \(ProcessInfo.processInfo.processIdentifier) \(UUID.random().uuidString.prefix(8))"
    do throws(DatabaseError) {
      return try ShareEngine(
        database, in: url, author: author, isUnique: true, remembersPosition: false, tables: nil,
        limits: ShareLimits(), lockTimeout: .zero)
    } catch {
      guard case .unobservable = error else { throw error }
      FailureRelay(of: "Store", url.path).report(error)
      return nil
    }
  }
}

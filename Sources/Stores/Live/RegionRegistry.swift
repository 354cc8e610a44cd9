import AppGroups
import Signals
import Synchronization

/// Something that is to be told when its part of a database may have changed.
protocol RegionObserver: AnyObject, Sendable {
  /// Called when it may have changed, with no lock held, on the thread that made the change or delivers it.
  func regionDidChange()

  /// Reads new contents on the thread that swaps them, and keeps the result.
  ///
  /// The result of a read that has begun is dropped.
  ///
  /// - Parameter failure: The reason why the contents cannot be read. The value is then as of an empty database, since
  ///   the last one belongs to other contents.
  func prepareSwap(failing failure: DatabaseError?)

  /// Prepares the value of an empty database, because new contents are read later.
  func awaitSwap()

  /// Stores the value that was prepared, inside a batch.
  func publishSwap(into changes: ScopeChanges)

  /// A Boolean value that indicates whether the observer could not read its part at its last attempt.
  var isStale: Bool { get }
}

/// Who observes which part of a database.
///
/// A change asks for its own tables and keys, so who observes other rows costs it nothing, however many they are.
final class RegionRegistry: Sendable {
  private struct Table {
    var whole: [ObjectIdentifier: any RegionObserver] = [:]
    var rows: [SQLiteValue: [ObjectIdentifier: any RegionObserver]] = [:]

    var isEmpty: Bool { whole.isEmpty && rows.isEmpty }
  }

  private struct State {
    var tables: [String: Table] = [:]
    /// Who observes everything.
    var everything: [ObjectIdentifier: any RegionObserver] = [:]
    /// It exists only while there is an observer, because a database makes no change sets that nothing receives.
    var subscription: SignalSubscription?

    var isEmpty: Bool { tables.isEmpty && everything.isEmpty }

    /// All observers, each once.
    var observers: [ObjectIdentifier: any RegionObserver] {
      var all = everything
      for table in tables.values {
        for observers in [table.whole] + table.rows.values { all.merge(observers) { first, _ in first } }
      }
      return all
    }

    mutating func change(
      _ region: ObservedRegion, _ body: (inout [ObjectIdentifier: any RegionObserver]) -> Void
    ) {
      switch region {
      case .everything: body(&everything)
      case .tables(let names):
        for name in names { change(name) { body(&$0.whole) } }
      case .rows(let name, let keys):
        change(name) { table in
          for key in keys {
            body(&table.rows[key, default: [:]])
            if table.rows[key]?.isEmpty == true { table.rows[key] = nil }
          }
        }
      }
    }

    /// SQLite's names of tables are the same in capitals and in small letters.
    private mutating func change(_ name: String, _ body: (inout Table) -> Void) {
      let name = name.lowercased()
      body(&tables[name, default: Table()])
      if tables[name]?.isEmpty == true { tables[name] = nil }
    }
  }

  private let state = Guarded(State())
  private let changes: Emitter<ChangeSet, Never>
  private let sharing: DatabaseSharing
  private let awaiting = Atomic(false)

  init(_ changes: Emitter<ChangeSet, Never>, _ sharing: DatabaseSharing) {
    self.changes = changes
    self.sharing = sharing
  }

  /// Tells an observer of every change of a region that is committed from now on, and no more of those of another.
  ///
  /// It stays alive for as long as it has a region.
  func move(_ observer: any RegionObserver, from old: ObservedRegion?, to new: ObservedRegion?) {
    let (ended, isFirst, isLast) = state.withLock { state in
      let key = ObjectIdentifier(observer)
      if let old { state.change(old) { $0[key] = nil } }
      if let new { state.change(new) { $0[key] = observer } }
      let hadSubscription = state.subscription != nil
      if state.isEmpty { return (state.subscription.take(), false, hadSubscription) }
      if !hadSubscription {
        state.subscription = changes.named("live queries").sink { [weak self] in self?.tell($0) }
      }
      return (nil, !hadSubscription, false)
    }
    ended?.cancel()
    if isFirst { sharing.addFollower() }
    if isLast { sharing.removeFollower() }
  }

  /// The names of the tables that somebody observes, in small letters.
  var observedTables: Set<String> { state.withLock { Set($0.tables.keys) } }

  /// Tells all who observe anything, each once.
  func tellAll() {
    for observer in state.withLock({ $0.observers }).values { observer.regionDidChange() }
  }

  // MARK: Swaps

  /// A Boolean value that indicates whether the contents are other ones, but a transaction keeps the database from going
  /// over to them.
  var isAwaitingSwap: Bool { awaiting.load(ordering: .sequentiallyConsistent) }

  /// Has all observers show an empty database, and read nothing until the next swap.
  func awaitSwap() {
    awaiting.store(true, ordering: .sequentiallyConsistent)
    for observer in state.withLock({ $0.observers }).values { observer.awaitSwap() }
  }

  func endAwaitingSwap() { awaiting.store(false, ordering: .sequentiallyConsistent) }

  /// Has all observers read new contents.
  ///
  /// - Parameter failure: The reason why the contents cannot be read.
  func prepareSwap(failing failure: DatabaseError?) {
    for observer in state.withLock({ $0.observers }).values { observer.prepareSwap(failing: failure) }
  }

  /// Has all observers store what they have read.
  func publishSwap(into changes: ScopeChanges) {
    for observer in state.withLock({ $0.observers }).values { observer.publishSwap(into: changes) }
  }

  /// Tells all who could not read what they observe, each once.
  func tellStale() {
    for observer in state.withLock({ $0.observers }).values where observer.isStale { observer.regionDidChange() }
  }

  /// Tells those who observe what has changed, each once.
  func tell(_ changes: ChangeSet) {
    let told = state.withLock { state in
      var told = state.everything
      for (name, changes) in changes.tables {
        guard let table = state.tables[name.lowercased()] else { continue }
        told.merge(table.whole) { first, _ in first }
        if changes.isEverything {
          for observers in table.rows.values { told.merge(observers) { first, _ in first } }
        } else if !table.rows.isEmpty {
          for keys in [changes.inserted, changes.updated, changes.deleted] {
            for key in keys {
              if let observers = table.rows[key] { told.merge(observers) { first, _ in first } }
            }
          }
        }
      }
      return told
    }
    for observer in told.values { observer.regionDidChange() }
  }
}

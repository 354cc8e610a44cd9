import AppGroups
import Signals
import Synchronization

/// An observer that is notified when its part of a database may have changed.
protocol RegionObserver: AnyObject, Sendable {
  /// Handles a possible change.
  ///
  /// It is called with no lock held, on the thread that made the change or delivers it.
  func regionDidChange()

  /// Reads new contents on the thread that swaps them, and keeps the result.
  ///
  /// The result of a read in progress is dropped.
  ///
  /// - Parameter failure: The reason why the contents cannot be read. Then the value is the one of an empty database,
  ///   since the last one belongs to other contents.
  func prepareSwap(failing failure: DatabaseError?)

  /// Prepares the value of an empty database, because new contents are read later.
  func awaitSwap()

  /// Stores the prepared value.
  ///
  /// It is called inside a batch.
  func publishSwap(into changes: ScopeChanges)

  /// A Boolean value that indicates whether the observer could not read its part at its last attempt.
  var isStale: Bool { get }
}

/// The observers of a database, by the parts that they observe.
///
/// A change looks up its own tables and keys, so the number of observers of other rows costs it nothing.
final class RegionRegistry: Sendable {
  private struct Table {
    var whole: [ObjectIdentifier: any RegionObserver] = [:]
    var rows: [SQLiteValue: [ObjectIdentifier: any RegionObserver]] = [:]

    var isEmpty: Bool { whole.isEmpty && rows.isEmpty }
  }

  private struct State {
    var tables: [String: Table] = [:]
    /// The observers of the whole database.
    var everything: [ObjectIdentifier: any RegionObserver] = [:]
    /// The subscription to the changes.
    ///
    /// It exists only while there is an observer, because a database creates no change sets without a receiver.
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

    /// SQLite's table names are case-insensitive.
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

  /// Moves an observer to another region.
  ///
  /// From now on, it is notified of every commit that changes this region.
  ///
  /// The registry retains the observer for as long as the observer has a region.
  func move(_ observer: any RegionObserver, from old: ObservedRegion?, to new: ObservedRegion?) {
    let (ended, isMissing) = state.withLock { state in
      let key = ObjectIdentifier(observer)
      if let old { state.change(old) { $0[key] = nil } }
      if let new { state.change(new) { $0[key] = observer } }
      return state.isEmpty ? (state.subscription.take(), false) : (nil, state.subscription == nil)
    }
    if let ended {
      ended.cancel()
      sharing.removeFollower()
    }
    if isMissing { subscribe() }
  }

  /// Subscribes to the changes, unless another thread does so first.
  ///
  /// No lock is held during the call, because a new subscriber also sends the changes that other threads have enqueued.
  private func subscribe() {
    let new = changes.named("live queries").sink { [weak self] in self?.tell($0) }
    let isUsed = state.withLock { state in
      guard state.subscription == nil, !state.isEmpty else { return false }
      state.subscription = new
      return true
    }
    isUsed ? sharing.addFollower() : new.cancel()
  }

  /// The lowercase names of the observed tables.
  var observedTables: Set<String> { state.withLock { Set($0.tables.keys) } }

  /// Notifies all observers, each once.
  func tellAll() {
    for observer in state.withLock({ $0.observers }).values { observer.regionDidChange() }
  }

  // MARK: Swaps

  /// A Boolean value that indicates whether the contents were replaced, but a transaction keeps the database from using
  /// the new ones.
  var isAwaitingSwap: Bool { awaiting.load(ordering: .sequentiallyConsistent) }

  /// Makes all observers show an empty database, and read nothing until the next swap.
  func awaitSwap() {
    awaiting.store(true, ordering: .sequentiallyConsistent)
    for observer in state.withLock({ $0.observers }).values { observer.awaitSwap() }
  }

  func endAwaitingSwap() { awaiting.store(false, ordering: .sequentiallyConsistent) }

  /// Makes all observers read new contents.
  ///
  /// - Parameter failure: The reason why the contents cannot be read.
  func prepareSwap(failing failure: DatabaseError?) {
    for observer in state.withLock({ $0.observers }).values { observer.prepareSwap(failing: failure) }
  }

  /// Makes all observers store the values that they have read.
  func publishSwap(into changes: ScopeChanges) {
    for observer in state.withLock({ $0.observers }).values { observer.publishSwap(into: changes) }
  }

  /// Notifies all observers whose last read failed, each once.
  func tellStale() {
    for observer in state.withLock({ $0.observers }).values where observer.isStale { observer.regionDidChange() }
  }

  /// Notifies the observers of changed rows, each once.
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

import Signals

/// Something that is to be told when its part of a database may have changed.
protocol RegionObserver: AnyObject, Sendable {
  /// Called when it may have changed, with no lock held, on the thread that made the change or delivers it.
  func regionDidChange()
}

/// Who observes which part of a database.
///
/// A change asks for its own tables and keys, so who observes other rows costs it nothing, however many they are.
final class RegionRegistry: @unchecked Sendable {  // Sound: what changes is guarded by the lock.
  private struct Table {
    var whole: [ObjectIdentifier: any RegionObserver] = [:]
    var rows: [SQLiteValue: [ObjectIdentifier: any RegionObserver]] = [:]

    var isEmpty: Bool { whole.isEmpty && rows.isEmpty }
  }

  private let lock = Lock()
  private var tables: [String: Table] = [:]
  /// Only while somebody observes, because a database makes no change sets that nobody wants.
  private var subscription: SignalSubscription?
  private let changes: Emitter<ChangeSet, Never>

  init(_ changes: Emitter<ChangeSet, Never>) {
    self.changes = changes
  }

  /// Tells an observer of every change that is committed from now on.
  ///
  /// It stays alive until it is removed.
  func add(_ observer: any RegionObserver, _ region: ObservedRegion) {
    lock.withLock {
      change(region) { $0[ObjectIdentifier(observer)] = observer }
      if subscription == nil { subscription = changes.sink { [weak self] in self?.tell($0) } }
    }
  }

  func remove(_ observer: any RegionObserver, _ region: ObservedRegion) {
    let ended = lock.withLock { () -> SignalSubscription? in
      change(region) { $0[ObjectIdentifier(observer)] = nil }
      guard tables.isEmpty else { return nil }
      defer { subscription = nil }
      return subscription
    }
    ended?.cancel()
  }

  private func change(_ region: ObservedRegion, _ body: (inout [ObjectIdentifier: any RegionObserver]) -> Void) {
    switch region {
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
  private func change(_ name: String, _ body: (inout Table) -> Void) {
    let name = name.lowercased()
    body(&tables[name, default: Table()])
    if tables[name]?.isEmpty == true { tables[name] = nil }
  }

  /// The names of the tables that somebody observes, in small letters.
  var observedTables: Set<String> { lock.withLock { Set(tables.keys) } }

  /// Tells all who observe anything, each once.
  func tellAll() {
    var told: [ObjectIdentifier: any RegionObserver] = [:]
    lock.withLock {
      for table in tables.values {
        for observers in [table.whole] + table.rows.values { told.merge(observers) { first, _ in first } }
      }
    }
    for observer in told.values { observer.regionDidChange() }
  }

  /// Tells those who observe what has changed, each once.
  func tell(_ changes: ChangeSet) {
    var told: [ObjectIdentifier: any RegionObserver] = [:]
    lock.withLock {
      for (name, changes) in changes.tables {
        guard let table = tables[name.lowercased()] else { continue }
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
    }
    for observer in told.values { observer.regionDidChange() }
  }
}

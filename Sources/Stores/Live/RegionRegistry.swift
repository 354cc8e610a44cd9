import Signals

/// Something that is to be told when its part of a database may have changed.
protocol RegionObserver: AnyObject, Sendable {
  /// Called when it may have changed, with no lock held, on the thread that made the change or delivers it.
  func regionDidChange()
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
    /// It exists only while there is an observer, because a database makes no change sets that nothing receives.
    var subscription: SignalSubscription?

    mutating func change(
      _ region: ObservedRegion, _ body: (inout [ObjectIdentifier: any RegionObserver]) -> Void
    ) {
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
    private mutating func change(_ name: String, _ body: (inout Table) -> Void) {
      let name = name.lowercased()
      body(&tables[name, default: Table()])
      if tables[name]?.isEmpty == true { tables[name] = nil }
    }
  }

  private let state = Guarded(State())
  private let changes: Emitter<ChangeSet, Never>

  init(_ changes: Emitter<ChangeSet, Never>) {
    self.changes = changes
  }

  /// Tells an observer of every change that is committed from now on.
  ///
  /// It stays alive until it is removed.
  func add(_ observer: any RegionObserver, _ region: ObservedRegion) {
    state.withLock { state in
      state.change(region) { $0[ObjectIdentifier(observer)] = observer }
      if state.subscription == nil { state.subscription = changes.sink { [weak self] in self?.tell($0) } }
    }
  }

  func remove(_ observer: any RegionObserver, _ region: ObservedRegion) {
    let ended = state.withLock { state -> SignalSubscription? in
      state.change(region) { $0[ObjectIdentifier(observer)] = nil }
      return state.tables.isEmpty ? state.subscription.take() : nil
    }
    ended?.cancel()
  }

  /// The names of the tables that somebody observes, in small letters.
  var observedTables: Set<String> { state.withLock { Set($0.tables.keys) } }

  /// Tells all who observe anything, each once.
  func tellAll() {
    let told = state.withLock { state in
      var told: [ObjectIdentifier: any RegionObserver] = [:]
      for table in state.tables.values {
        for observers in [table.whole] + table.rows.values { told.merge(observers) { first, _ in first } }
      }
      return told
    }
    for observer in told.values { observer.regionDidChange() }
  }

  /// Tells those who observe what has changed, each once.
  func tell(_ changes: ChangeSet) {
    let told = state.withLock { state in
      var told: [ObjectIdentifier: any RegionObserver] = [:]
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

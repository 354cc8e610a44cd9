import AppGroups
import Signals
import Synchronization

/// An observer that is notified when its part of a database may have changed.
protocol RegionObserver: AnyObject, Sendable {
  /// Handles a possible change.
  ///
  /// It is called with no lock held, on the thread that made the change or delivers it.
  func regionDidChange()

  /// Returns the value of new contents, on the thread that switches them.
  ///
  /// The result of a read in progress is dropped.
  ///
  /// - Parameter content: The knowledge of the contents.
  /// - Returns: The value, which is not shown yet.
  func prepareSwitch(_ content: NewContent) -> PreparedSwitch

  /// A Boolean value that indicates whether the observer could not read its part at its last attempt.
  var isStale: Bool { get }

  /// Returns whether a read was left out since the last call, because new contents are awaited.
  func takeSkipped() -> Bool
}

/// The knowledge of new contents, from which an observer prepares its value.
///
/// Without a read, the value is the one of an empty database, since the last one belongs to other contents.
enum NewContent {
  /// They can be read.
  case readable
  /// They cannot be read, for a reason.
  case failing(DatabaseError)
  /// They are read later.
  case awaited
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

  /// A read in progress, whose region is not known yet.
  struct Read: Hashable {
    fileprivate let number: Int
  }

  private struct State {
    /// All observers with their regions.
    var observers: [ObjectIdentifier: (observer: any RegionObserver, region: ObservedRegion)] = [:]
    var tables: [String: Table] = [:]
    /// The observers of the whole database.
    var everything: [ObjectIdentifier: any RegionObserver] = [:]
    /// The changes since the beginning of each read in progress.
    var reads: [Read: RegionChanges] = [:]
    var readCount = 0
    /// The subscription to the changes.
    ///
    /// It exists only while there is an observer, because a database creates no change sets without a receiver.
    var subscription: SignalSubscription?

    mutating func setRegion(_ region: ObservedRegion, of observer: any RegionObserver) {
      let key = ObjectIdentifier(observer)
      if let old = observers[key]?.region { change(old) { $0[key] = nil } }
      change(region) { $0[key] = observer }
      observers[key] = (observer, region)
    }

    mutating func remove(_ observer: any RegionObserver) {
      let key = ObjectIdentifier(observer)
      guard let old = observers.removeValue(forKey: key) else { return }
      change(old.region) { $0[key] = nil }
    }

    private mutating func change(
      _ region: ObservedRegion, _ body: (inout [ObjectIdentifier: any RegionObserver]) -> Void
    ) {
      if region.isEverything { body(&everything) }
      for name in region.tables {
        body(&tables[name, default: Table()].whole)
        if tables[name]?.isEmpty == true { tables[name] = nil }
      }
      for (name, keys) in region.rows {
        for key in keys {
          body(&tables[name, default: Table()].rows[key, default: [:]])
          if tables[name]?.rows[key]?.isEmpty == true { tables[name]?.rows[key] = nil }
        }
        if tables[name]?.isEmpty == true { tables[name] = nil }
      }
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

  /// Adds an observer, which observes nothing yet.
  ///
  /// The registry retains it until it is removed.
  func add(_ observer: any RegionObserver) {
    let isMissing = state.withLock { state in
      state.setRegion(ObservedRegion(), of: observer)
      return state.subscription == nil
    }
    if isMissing { subscribe() }
  }

  /// Removes an observer.
  func remove(_ observer: any RegionObserver) {
    let ended = state.withLock { state in
      state.remove(observer)
      return state.observers.isEmpty ? state.subscription.take() : nil
    }
    guard let ended else { return }
    ended.cancel()
    sharing.removeFollower()
  }

  /// Begins to collect the changes during a read.
  func beginRead() -> Read {
    state.withLock { state in
      state.readCount += 1
      let read = Read(number: state.readCount)
      state.reads[read] = RegionChanges()
      return read
    }
  }

  /// Ends a read whose result is dropped.
  func dropRead(_ read: Read) {
    state.withLock { $0.reads[read] = nil }
  }

  /// Ends a read, and moves the observer to the region on which the result depends.
  ///
  /// Until now, the observer has been notified of changes of its old region. From now on, it is notified of all commits
  /// that change the new one.
  ///
  /// - Returns: `true` if the region is new and may have changed since the read began.
  func endRead(_ read: Read, of observer: any RegionObserver, in region: ObservedRegion) -> Bool {
    state.withLock { state in
      let changes = state.reads.removeValue(forKey: read)
      guard let old = state.observers[ObjectIdentifier(observer)]?.region, old != region else { return false }
      state.setRegion(region, of: observer)
      return changes?.touch(region) ?? true
    }
  }

  /// Returns the region of an observer.
  func region(of observer: any RegionObserver) -> ObservedRegion {
    state.withLock { $0.observers[ObjectIdentifier(observer)]?.region } ?? ObservedRegion()
  }

  /// Subscribes to the changes, unless another thread does so first.
  ///
  /// No lock is held during the call, because a new subscriber also sends the changes that other threads have enqueued.
  private func subscribe() {
    let new = changes.named("live queries").sink { [weak self] in self?.tell($0) }
    let isUsed = state.withLock { state in
      guard state.subscription == nil, !state.observers.isEmpty else { return false }
      state.subscription = new
      return true
    }
    isUsed ? sharing.addFollower() : new.cancel()
  }

  /// The lowercase names of the observed tables.
  var observedTables: Set<String> { state.withLock { Set($0.tables.keys) } }

  /// Notifies all observers, each once.
  func tellAll() {
    let observers = state.withLock { state in
      for read in state.reads.keys { state.reads[read]?.insertEverything() }
      return state.observers.values
    }
    for (observer, _) in observers { observer.regionDidChange() }
  }

  // MARK: Switches

  /// A Boolean value that indicates whether the contents were replaced, but a transaction keeps the database from using
  /// the new ones.
  var isAwaitingSwitch: Bool { awaiting.load(ordering: .sequentiallyConsistent) }

  /// Returns what each observer shows of new contents.
  ///
  /// If they are awaited, the observers read nothing until ``endAwaitingSwitch()``.
  func prepareSwitch(_ content: NewContent) -> [PreparedSwitch] {
    if case .awaited = content { awaiting.store(true, ordering: .sequentiallyConsistent) }
    return state.withLock { $0.observers }.values.map { $0.observer.prepareSwitch(content) }
  }

  /// Lets the observers read again.
  ///
  /// - Returns: `true` if the new contents were awaited.
  func endAwaitingSwitch() -> Bool { awaiting.exchange(false, ordering: .sequentiallyConsistent) }

  /// Notifies all observers whose read was left out, each once.
  func tellSkipped() {
    for (observer, _) in state.withLock({ $0.observers }).values where observer.takeSkipped() {
      observer.regionDidChange()
    }
  }

  /// Notifies all observers whose last read failed, each once.
  func tellStale() {
    for (observer, _) in state.withLock({ $0.observers }).values where observer.isStale { observer.regionDidChange() }
  }

  /// Notifies the observers of changed rows, each once.
  func tell(_ changes: ChangeSet) {
    let told = state.withLock { state in
      for read in state.reads.keys { state.reads[read]?.insert(changes) }
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

import Foundation
import Signals

/// Keeps the entries of a range of keys in memory.
final class RangeCore: RangeFollower {
  let prefix: Data
  /// The name for errors.
  let place: String
  let cluster: EtcdCluster
  let entries = MutableProperty(RangeEntries())

  private let memory = Guarded(RangeEntries())
  private let registration = Guarded<SignalSubscription?>(nil)

  init(prefix: Data, name: String, cluster: EtcdCluster) {
    (self.prefix, self.cluster) = (prefix, cluster)
    place = "\(cluster.watch.namespace.name)/\(name)"
    let following = cluster.watch.follow(.prefix(prefix), with: self)
    registration.withLock { $0 = following }
  }

  func receive(_ events: [WatchEvent]) {
    apply(events, areFromWatch: true, era: nil)
  }

  private func apply(_ events: [WatchEvent], areFromWatch: Bool, era: Int?) {
    change { entries in
      guard era == nil || era == cluster.watch.era else { return false }
      var isChanged = false
      for event in events {
        let entry = event.isDeletion ? nil : event.entry
        if entries.apply(name(of: event.entry), entry, at: event.entry.modRevision) { isChanged = true }
        if areFromWatch { entries.advance(to: event.entry.modRevision) }
      }
      return isChanged
    }
  }

  func replace(with read: [EtcdEntry], at revision: Int64, era: Int) {
    let named = Dictionary(read.map { (name(of: $0), $0) }) { $1 }
    change { entries in
      // Under the lock, because a new era is counted first, and then takes the lock to begin here.
      guard era == cluster.watch.era else { return false }
      return entries.replace(with: named, at: revision)
    }
  }

  /// Applies a change that this process has just made, unless the era in which it began is over.
  func adopt(_ operation: Operation, _ revision: Int64, era: Int) {
    switch operation {
    case .put(let key, let value, let lease):
      let known = memory.withLock { $0.entries[Data(key.dropFirst(prefix.count))]?.createRevision }
      let entry = EtcdEntry(
        key: key, createRevision: known ?? revision, modRevision: revision, value: value, lease: lease)
      apply([WatchEvent(entry)], areFromWatch: false, era: era)
    case .delete(let key, _):
      apply([WatchEvent(EtcdEntry(key: key, modRevision: revision), isDeletion: true)], areFromWatch: false, era: era)
    case .range: break
    }
  }

  func beginEra() {
    memory.withLock { $0.beginEra() }
  }

  func fail(_ error: ClusterError) {
    // The connection's status shows it.
  }

  /// Changes the entries, and sends them if they have changed.
  private func change(_ body: (inout RangeEntries) -> Bool) {
    let staged = memory.withLock { memory in body(&memory) ? entries.stage(memory) : nil }
    staged?.send()
  }

  private func name(of entry: EtcdEntry) -> Data { Data(entry.key.dropFirst(prefix.count)) }

  /// The key of a name.
  func key(of name: Data) -> Data { prefix + name }

  /// The relation of the entries to the cluster.
  var status: Property<SharedValueStatus<ClusterError>> {
    .derived(cluster.status, Property(entries, keeping: self)) { connection, entries in
      connection == .current && entries.revision == nil ? .connecting : connection
    }
  }
}

/// The entries of a range of keys, ordered by revisions.
///
/// It consists of values only. Complete reads, events of the watch, and changes of this process may arrive in any order
/// relative to each other.
struct RangeEntries: Sendable {
  /// The entries by the part of their key after the beginning that all have.
  private(set) var entries: [Data: EtcdEntry] = [:]

  /// The revision up to which the entries are complete; `nil` before the first complete read.
  private(set) var revision: Int64?

  /// The revisions of the changes that are newer than that, deletions included.
  private(set) var changes: [Data: Int64] = [:]

  /// Applies a change, unless a newer one is known.
  ///
  /// - Returns: `true` if it was applied.
  mutating func apply(_ name: Data, _ entry: EtcdEntry?, at revision: Int64) -> Bool {
    guard revision > max(self.revision ?? 0, changes[name] ?? 0) else { return false }
    changes[name] = revision
    entries[name] = entry
    return true
  }

  /// Records that the watch has delivered all changes before a revision, because it delivers in order.
  mutating func advance(to revision: Int64) {
    guard let known = self.revision, revision - 1 > known else { return }
    self.revision = revision - 1
    // Otherwise each name that ever existed would stay in memory.
    if changes.count > 32 { changes = changes.filter { $0.value >= revision } }
  }

  /// Applies a complete read, except for the keys with newer changes.
  ///
  /// - Returns: `true` if it was applied.
  mutating func replace(with read: [Data: EtcdEntry], at revision: Int64) -> Bool {
    if let known = self.revision, known > revision { return false }
    changes = changes.filter { $0.value > revision }
    var entries = read
    for name in changes.keys { entries[name] = self.entries[name] }
    self.entries = entries
    self.revision = revision
    return true
  }

  /// Accepts any revision from now on.
  mutating func beginEra() {
    (revision, changes) = (nil, [:])
  }
}

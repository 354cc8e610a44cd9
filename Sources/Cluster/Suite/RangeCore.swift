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
    apply(events, areFromWatch: true)
  }

  private func apply(_ events: [WatchEvent], areFromWatch: Bool) {
    change { entries in
      var isChanged = false
      for event in events {
        let entry = event.isDeletion ? nil : event.entry
        if entries.apply(name(of: event.entry), entry, at: event.entry.modRevision) { isChanged = true }
        if areFromWatch { entries.advance(to: event.entry.modRevision) }
      }
      return isChanged
    }
  }

  func replace(with read: [EtcdEntry], at revision: Int64) {
    let named = Dictionary(read.map { (name(of: $0), $0) }) { $1 }
    change { $0.replace(with: named, at: revision) }
  }

  /// Applies a change that this process has just made.
  func adopt(_ operation: Operation, _ revision: Int64) {
    switch operation {
    case .put(let key, let value, let lease):
      let known = memory.withLock { $0.entries[Data(key.dropFirst(prefix.count))]?.createRevision }
      let entry = EtcdEntry(
        key: key, createRevision: known ?? revision, modRevision: revision, value: value, lease: lease)
      apply([WatchEvent(entry)], areFromWatch: false)
    case .delete(let key, _):
      apply([WatchEvent(EtcdEntry(key: key, modRevision: revision), isDeletion: true)], areFromWatch: false)
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

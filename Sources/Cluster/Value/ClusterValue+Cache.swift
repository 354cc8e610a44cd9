public import Signals

extension ClusterValue {
  /// Follows a key as ``open(key:initialValue:cluster:patience:)`` does, and keeps the last known value in a cache.
  ///
  /// The cache is any shared value of the machine, such as an `AppGroupsFile`. It has two uses:
  ///
  /// - **Without the cluster.** Until the cluster has answered, ``value`` is the value of the cache, and ``status`` is
  ///   connecting. A service therefore starts with the last known value while the cluster cannot be reached.
  /// - **One connection for each machine.** One process opens the value with the cache. The other processes of the
  ///   machine only follow the cache, which changes with the cluster: `cache.map(\.value)`.
  ///
  /// <!-- not run -->
  /// ```swift
  /// import AppGroups
  /// import Cluster
  /// import Foundation
  ///
  /// let endpoints = ["http://etcd-1:2379"].compactMap { URL(string: $0) }
  /// let cluster = try EtcdCluster(endpoints: endpoints, namespace: "fleet")
  /// let container = try AppGroupsContainer(directory: URL(filePath: "/var/lib/fleet"))
  /// let cache = try AppGroupsFile(name: "limit", initialValue: ClusterRecord(100), container: container)
  /// let limit = try await ClusterValue.open(
  ///   key: "requests-per-second", initialValue: 100, cluster: cluster, cache: cache)
  /// print(limit.value)
  /// ```
  ///
  /// - **Order.** If several processes open the value with the same cache, the cache never returns to an older value.
  /// - **Restored clusters.** A value of the cache that is newer than the one of the cluster is replaced after a
  ///   majority of the members has confirmed the older one.
  /// - **Changes.** Change the value through this object. Changes of the cache itself do not reach the cluster.
  /// - **Errors of the cache** are reported by the cache itself. The value follows the cluster without it.
  ///
  /// - Parameters:
  ///   - key: The name of the value; any string is allowed.
  ///   - initialValue: The value if nothing is stored, neither in the cluster nor in the cache.
  ///   - cluster: The namespace.
  ///   - cache: The cache. It is used only for this key.
  ///   - patience: The longest time to wait for the cluster.
  /// - Returns: The value.
  /// - Throws: ``ClusterError`` if the cluster refuses the user or the request, or is not etcd.
  public static func open<Cache: SharedValue>(
    key: String, initialValue: Value, cluster: EtcdCluster, cache: Cache, patience: Duration = .seconds(5)
  ) async throws -> ClusterValue where Cache.Value == ClusterRecord<Value> {
    let writer = CacheWriter(cache)
    let record = cache.value
    let core = ClusterValueCore(
      name: key, initialValue: initialValue, cluster: cluster, record: record.revision > 0 ? record : nil
    ) { record, era in
      writer.keep(record, era: era)
    }
    let value = ClusterValue(core)
    try await value.begin(within: patience)
    return value
  }
}

/// A value of a cluster as one machine keeps it, with the revision that orders it among others.
///
/// It is the content of a cache: see ``ClusterValue/open(key:initialValue:cluster:cache:patience:)``. Its JSON has the
/// fields `value` and `revision`.
public struct ClusterRecord<Value: Codable & Sendable>: Sendable {
  /// The value.
  public internal(set) var value: Value

  /// The revision at which the value was stored in the cluster; 0 if none was received yet.
  public internal(set) var revision: Int64

  /// Creates a record before anything was received.
  ///
  /// - Parameter initialValue: The value until one is received.
  public init(_ initialValue: Value) {
    self.init(initialValue, at: 0)
  }

  init(_ value: Value, at revision: Int64) {
    (self.value, self.revision) = (value, revision)
  }
}

extension ClusterRecord: Codable {
  private enum Key: String, CodingKey {
    case value, revision
  }

  /// Decodes a record.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the data is not a record with such a value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    value = try container.decode(Value.self, forKey: .value)
    revision = try container.decode(Int64.self, forKey: .revision)
  }

  /// Encodes the record.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(value, forKey: .value)
    try container.encode(revision, forKey: .revision)
  }
}

extension ClusterRecord: Equatable where Value: Equatable {}

extension ClusterRecord: Hashable where Value: Hashable {}

/// Keeps the newest value of a cluster in a cache, which several processes may write.
final class CacheWriter<Cache: SharedValue, Value: Codable & Sendable>: Sendable
where Cache.Value == ClusterRecord<Value>, Cache: Sendable {
  private struct State {
    /// The record to be written.
    var next: ClusterRecord<Value>?
    /// The era and the revision of the newest record so far.
    var era = 0
    var revision: Int64 = 0
    /// The era of the last record that was written.
    var writtenEra = 0
    var isWriting = false
  }

  private let cache: Cache
  private let state = Guarded(State())

  init(_ cache: Cache) {
    self.cache = cache
  }

  /// Writes a record soon, unless this object or the cache has a newer one.
  ///
  /// Records may arrive in any order, because the threads that bring them hold no lock.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - era: The number of times that the revisions of the cluster have begun anew. The first record that is written
  ///     in an era replaces any in the cache.
  func keep(_ record: ClusterRecord<Value>, era: Int) {
    let begins = state.withLock { state in
      guard (era, record.revision) > (state.era, state.revision) else { return false }
      (state.era, state.revision) = (era, record.revision)
      state.next = record
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { Task { await write() } }
  }

  private func write() async {
    while let (record, era, isForced) = next() {
      guard isForced || record.revision > cache.value.revision else { continue }
      do {
        try await cache.update { stored in
          if isForced || record.revision > stored.revision { stored = record }
        }
        state.withLock { $0.writtenEra = era }
      } catch {
        // The cache reports its own failures. The next value is written again.
      }
    }
  }

  /// Returns the next record, its era, and whether it replaces a newer one.
  private func next() -> (ClusterRecord<Value>, Int, Bool)? {
    state.withLock { state -> (ClusterRecord<Value>, Int, Bool)? in
      guard let record = state.next.take() else {
        state.isWriting = false
        return nil
      }
      return (record, state.era, state.era > state.writtenEra)
    }
  }
}

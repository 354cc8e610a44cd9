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
    ) { record, isForced in
      writer.keep(record, isForced: isForced)
    }
    let value = ClusterValue(core)
    try await value.begin(within: patience)
    return value
  }
}

public import Signals

/// A value that the processes of many machines share through a cluster, and that each of them can observe and change.
///
/// It is used like a shared file: ``value`` is in memory, subscribers receive every change in order, and ``update(_:)``
/// loses no concurrent change.
///
/// <!-- not run -->
/// ```swift
/// import Cluster
/// import Foundation
///
/// let endpoints = ["http://etcd-1:2379", "http://etcd-2:2379"].compactMap { URL(string: $0) }
/// let cluster = try EtcdCluster(endpoints: endpoints, namespace: "fleet")
/// let limit = try await ClusterValue.open(key: "requests-per-second", initialValue: 100, cluster: cluster)
/// let subscription = limit.sink { print("at most", $0, "requests") }
/// try await limit.update { $0 *= 2 }
/// ```
///
/// - **Content.** The key contains plain JSON, and any program may write it.
/// - **Reading never waits.** ``value`` is the last known value. It is current when a change by this object returns.
///   It follows the changes of others within milliseconds, and never returns to an older value.
/// - **Changes are linearizable.** When a change returns, the majority of the members has stored it. It is made exactly
///   once, even if connections break.
/// - **Staleness shows.** While the cluster cannot be reached, the last value stays, and ``status`` is stale since the
///   interruption. After it, subscribers receive the newest value; intermediate values may be skipped.
/// - **Bad content.** If the content cannot be decoded, the last good value stays, and ``status`` and ``failures``
///   report the error. Only a write replaces it.
/// - **Deletion.** If the key is deleted, the last value stays, and ``status`` is missing. An update then begins with
///   the initial value.
/// - **Threads.** All methods may be called from any thread. Subscribers are never called concurrently, and never with
///   a lock held.
///
/// To pass on one part of the value, with the right to change it, use a lens: `settings.lens(\.volume)`.
///
/// The key is followed until this object, its ``property`` and all subscriptions have been released.
public final class ClusterValue<Value: Codable & Sendable>: SharedValue {
  /// The value.
  public typealias Element = Value

  /// A shared value never fails; ``status`` and ``failures`` report errors.
  public typealias Failure = Never

  /// The value as an observable property.
  public let property: Property<Value>

  /// The relation of ``value`` to the stored one.
  ///
  /// It is connecting until the cluster has answered, and stale while the connection is interrupted or the content
  /// cannot be decoded.
  public let status: Property<SharedValueStatus<ClusterError>>

  let core: ClusterValueCore<Value>

  /// Follows a key, without waiting for the cluster and without creating the key.
  ///
  /// ``value`` is the initial value until the cluster has answered.
  ///
  /// - Parameters:
  ///   - key: The name of the value; any string is allowed.
  ///   - initialValue: The value while nothing else is known.
  ///   - cluster: The namespace.
  public convenience init(key: String, initialValue: Value, cluster: EtcdCluster) {
    self.init(ClusterValueCore(name: key, initialValue: initialValue, cluster: cluster))
  }

  init(_ core: ClusterValueCore<Value>) {
    self.core = core
    property = Property(core.value, keeping: core)
    let own = Property(core.status, keeping: core)
    status = .derived(core.cluster.status, own) { connection, own in connection == .current ? own : connection }
  }

  /// Follows a key, and waits for the first value; creates the key with the initial value if it is missing.
  ///
  /// If several processes open a missing key, one of them creates it, and all have the same value. If the cluster does
  /// not answer in time, the result has the initial value. It connects, and creates the key, in the background.
  ///
  /// - Parameters:
  ///   - key: The name of the value; any string is allowed.
  ///   - initialValue: The value if nothing is stored.
  ///   - cluster: The namespace.
  ///   - patience: The longest time to wait for the cluster.
  /// - Returns: The value.
  /// - Throws: ``ClusterError`` if the cluster refuses the user or the request, or is not etcd.
  public static func open(
    key: String, initialValue: Value, cluster: EtcdCluster, patience: Duration = .seconds(5)
  ) async throws -> ClusterValue {
    let value = ClusterValue(key: key, initialValue: initialValue, cluster: cluster)
    try await value.begin(within: patience)
    return value
  }

  /// Waits for the first value, and stores the initial one if there is none.
  func begin(within patience: Duration) async throws {
    let status = await within(patience) { [status] in
      for await status in status.values where status.isAnswer { return status }
      return SharedValueStatus<ClusterError>.connecting
    }
    switch status {
    case .missing?: try await core.create()
    case .stale(let error, _)? where error.isRefusal: throw error
    case .connecting?, nil: core.createWhenMissing()
    default: break
    }
  }

  /// The name of the value in its namespace.
  public var key: String { core.name }

  /// The namespace of the value.
  public var cluster: EtcdCluster { core.cluster }

  /// The last known good value.
  ///
  /// A read takes a few nanoseconds, and waits for no machine.
  @inlinable
  public var value: Value { property.plainValue }

  /// The errors that keep ``value`` from following the stored one: errors of the connection and of the content.
  ///
  /// Errors that a call throws are not sent here.
  public var failures: some Signal<ClusterError, Never> {
    KeptSignal(upstream: core.failures.merge(with: core.cluster.failures), owner: core)
  }

  /// Reads the stored value from the majority of the members.
  ///
  /// - Returns: The stored value, which may be newer than ``value``.
  /// - Throws: ``ClusterError`` if no value is stored, if it cannot be decoded, or if the cluster does not answer before
  ///   the deadline.
  public func read() async throws -> Value {
    try await core.read()
  }

  /// Stores a value; the last of several writers wins.
  ///
  /// When this returns, ``value`` is the new value or a newer one. Content that cannot be decoded is replaced.
  ///
  /// - Parameter value: The value to store.
  /// - Throws: ``ClusterError``, or `CancellationError` if the task was cancelled before the write began. Then the
  ///   stored value is unchanged, except after ``ClusterError/uncertain(key:reason:)``.
  public func write(_ value: Value) async throws {
    try await core.write(value)
  }

  /// Changes the stored value exclusively: no concurrent change on any machine is lost.
  ///
  /// - Parameter body: Changes its argument. It runs again if another process has changed the value, and only
  ///   its last result is stored. It should therefore have no side effects.
  /// - Returns: The result of the last run of `body`.
  /// - Throws: The error of `body`, ``ClusterError``, or `CancellationError` if the task was cancelled before a change
  ///   was sent. Then the stored value is unchanged, except after ``ClusterError/uncertain(key:reason:)``.
  @discardableResult
  public func update<Result: Sendable>(
    _ body: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    try await core.update(overwriting: false, body)
  }

  /// Deletes the key.
  ///
  /// ``value`` stays, and ``status`` becomes missing, in every process.
  ///
  /// - Throws: ``ClusterError``, or `CancellationError` if the task was cancelled before the deletion began.
  public func delete() async throws {
    try await core.delete()
  }
}

extension SharedValueStatus<ClusterError> {
  /// A Boolean value that indicates whether the cluster has answered with a value, or with a refusal.
  fileprivate var isAnswer: Bool {
    switch self {
    case .current, .missing: true
    case .connecting: false
    case .stale(let error, _): error.isRefusal || error.isAboutContent
    }
  }
}

extension ClusterError {
  /// A Boolean value that indicates whether waiting cannot help.
  fileprivate var isRefusal: Bool {
    switch self {
    case .unauthenticated, .forbidden, .unexpectedAnswer, .refused: true
    default: false
    }
  }

  fileprivate var isAboutContent: Bool {
    if case .undecodable = self { true } else { false }
  }
}

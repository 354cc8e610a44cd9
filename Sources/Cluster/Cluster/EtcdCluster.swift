public import Foundation
public import Signals

/// A connection to an etcd cluster, for the values of one namespace.
///
/// Create one object per process and service, and open values with it:
///
/// ```swift
/// import Cluster
/// import Foundation
///
/// let cluster = try EtcdCluster(
///   endpoints: ["https://etcd-1:2379", "https://etcd-2:2379"].compactMap { URL(string: $0) },
///   credentials: ClusterCredentials(user: "fleet", password: "secret"),
///   namespace: "fleet"
/// )
/// print(cluster.status.value)  // Prints "connecting"
/// ```
///
/// - **Connections.** One watch follows all open values of the namespace. It exists while a value is open, and resumes
///   at another endpoint where it was interrupted. Only open values are decoded.
/// - **Keys.** The value `settings` of the namespace `fleet` has the key `fleet/settings`. Other programs may write it.
///   Bytes other than letters, digits, `-`, `_` and `.` are encoded as `%` and two digits.
/// - **Permissions.** A role with read and write access to the prefix `fleet/` is enough.
/// - **Session.** Changes write a marker key below `fleet/~!session/` in the same transaction. The marker shows whether
///   a change was made although its answer was lost. It disappears ``ClusterOptions/sessionTime`` after the process.
/// - **Threads.** All methods may be called from any thread.
///
/// etcd 3.4 or newer is required.
public final class EtcdCluster: Sendable {
  let connection: ClusterConnection
  let watch: NamespaceWatch

  /// Connects to a cluster, with sockets for `http` and with Foundation's `URLSession` for `https`.
  ///
  /// Nothing is sent before a value is opened.
  ///
  /// - Parameters:
  ///   - endpoints: The URLs of the members, at least one. If one fails, the next is used.
  ///   - credentials: The user, if the cluster demands one.
  ///   - namespace: The name of the service: the beginning of all its keys.
  ///   - security: The certificates; by default, the system decides.
  ///   - options: The limits and times.
  /// - Throws: ``ClusterError`` if an endpoint or the namespace is invalid, or if `security` demands certificates
  ///   that `URLSession` does not support.
  public convenience init(
    endpoints: [URL], credentials: ClusterCredentials? = nil, namespace: String,
    security: ClusterSecurity = ClusterSecurity(), options: ClusterOptions = ClusterOptions()
  ) throws(ClusterError) {
    guard security.authority == nil else { throw .unsupportedByTransport("private certificate authorities") }
    guard security.clientCertificate == nil else { throw .unsupportedByTransport("client certificates") }
    try self.init(
      endpoints: endpoints, credentials: credentials, namespace: namespace,
      transport: DefaultTransport(endpoints: endpoints),
      options: options)
  }

  /// Connects to a cluster with another transport.
  ///
  /// - Parameters:
  ///   - endpoints: The URLs of the members, at least one. If one fails, the next is used.
  ///   - credentials: The user, if the cluster demands one.
  ///   - namespace: The name of the service: the beginning of all its keys.
  ///   - transport: The transport, which knows the certificates.
  ///   - options: The limits and times.
  /// - Throws: ``ClusterError`` if an endpoint or the namespace is invalid.
  public convenience init(
    endpoints: [URL], credentials: ClusterCredentials? = nil, namespace: String, transport: any ClusterTransport,
    options: ClusterOptions = ClusterOptions()
  ) throws(ClusterError) {
    guard !endpoints.isEmpty else { throw .invalidEndpoint("", reason: "there is no endpoint") }
    var members: [Endpoint] = []
    for url in endpoints { members.append(try Endpoint(url)) }
    let root = try Namespace(namespace)
    let client = EtcdClient(endpoints: members, credentials: credentials, transport: transport, options: options)
    self.init(ClusterConnection(client: client, root: root), root)
  }

  private init(_ connection: ClusterConnection, _ namespace: Namespace) {
    self.connection = connection
    watch = NamespaceWatch(namespace: namespace, client: connection.client)
  }

  /// Returns a namespace inside this one, with the same connection and a watch of its own.
  ///
  /// - Parameter name: The name of the namespace.
  /// - Returns: The namespace, whose keys begin with the prefix of this one.
  public func namespace(_ name: String) -> EtcdCluster {
    EtcdCluster(connection, watch.namespace.child(name))
  }

  /// The relation of the open values to the cluster: current, connecting, or stale with the failure and its time.
  public var status: Property<SharedValueStatus<ClusterError>> { Property(watch.status, keeping: watch) }

  /// The figures of the connection.
  public var metrics: Property<ClusterMetrics> { Property(watch.metrics, keeping: watch) }

  /// The failures of the connection, each time that it is interrupted.
  public var failures: some Signal<ClusterError, Never> { KeptSignal(upstream: watch.failures, owner: watch) }
}

/// Figures of the connection of a namespace.
public struct ClusterMetrics: Sendable, Hashable {
  /// The number of times that the connection was re-established.
  public var reconnects = 0

  /// The revision up to which all changes have been delivered.
  public var revision: Int64 = 0

  /// The number of revisions that the member knew and that had not been delivered with its last message.
  public var lag: Int64 = 0

  /// The number of bytes that the watch has received.
  public var receivedBytes = 0

  init() {}
}

/// The client, the session and the writer of changes, which all namespaces of a connection share.
final class ClusterConnection: Sendable {
  let client: EtcdClient
  let session: ClusterSession
  let committer: Committer

  init(client: EtcdClient, root: Namespace) {
    self.client = client
    session = ClusterSession(client: client, prefix: root.path)
    committer = Committer(client: client, session: session)
  }

  var options: ClusterOptions { client.options }
}

public import Foundation
public import Signals

/// The limits and times of a connection to a cluster.
public struct ClusterOptions: Sendable {
  /// The longest time that a change or a read may take; by default 10 seconds.
  ///
  /// After it, the call throws an error.
  public var deadline: Duration

  /// The longest silence of a watch before the member is asked whether it is alive; by default 10 seconds.
  ///
  /// If the members notify progress more often than that, the connection is otherwise idle. See etcd's option
  /// `--experimental-watch-progress-notify-interval`.
  public var patience: Duration

  /// The time after which the cluster forgets a client that has stopped; by default 15 seconds.
  ///
  /// Presence, leadership and the outcome of uncertain changes depend on it. Use more than the ``deadline``.
  public var sessionTime: Duration

  /// The pauses between attempts to reach the cluster; by default 50 milliseconds to 5 seconds, with jitter.
  public var backoff: Backoff

  /// The largest size of one message of a watch in bytes; by default 8 MiB.
  public var maximumMessageSize: Int

  /// The largest size of an encoded value in bytes; by default 1 MiB.
  ///
  /// A member accepts requests of 1.5 MiB, unless its option `--max-request-bytes` says otherwise.
  public var maximumValueSize: Int

  /// Creates options.
  ///
  /// - Parameters:
  ///   - deadline: The longest time that a change or a read may take.
  ///   - patience: The longest silence of a watch before the member is asked whether it is alive.
  ///   - sessionTime: The time after which the cluster forgets a client that has stopped.
  ///   - backoff: The pauses between attempts to reach the cluster.
  ///   - maximumMessageSize: The largest size of one message of a watch in bytes.
  ///   - maximumValueSize: The largest size of an encoded value in bytes.
  public init(
    deadline: Duration = .seconds(10),
    patience: Duration = .seconds(10),
    sessionTime: Duration = .seconds(15),
    backoff: Backoff = .exponential(from: .milliseconds(50), upTo: .seconds(5), jitter: 0.5),
    maximumMessageSize: Int = 8 << 20,
    maximumValueSize: Int = 1 << 20
  ) {
    self.deadline = deadline
    self.patience = patience
    self.sessionTime = sessionTime
    self.backoff = backoff
    self.maximumMessageSize = maximumMessageSize
    self.maximumValueSize = maximumValueSize
  }

  /// The longest time that one attempt may take, so that a stopped member leaves time for the others.
  var attemptTime: Duration { max(.milliseconds(200), deadline / 4) }
}

/// The name and password of a user of the cluster.
public struct ClusterCredentials: Sendable, Hashable {
  /// The name of the user.
  public var user: String

  /// The password.
  public var password: String

  /// Creates credentials.
  ///
  /// - Parameters:
  ///   - user: The name of the user.
  ///   - password: The password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension ClusterCredentials: CustomStringConvertible, CustomReflectable {
  /// The name of the user, without the password.
  public var description: String { "the user \(user.debugDescription)" }

  /// A mirror without the password.
  public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}

/// The certificates of a connection that the system does not know.
///
/// The default transport uses the certificate authorities of the system. If any of these properties is set, it refuses
/// to connect, and you need another ``ClusterTransport``.
public struct ClusterSecurity: Sendable, Hashable {
  /// A file with the certificate of a private authority.
  public var authority: URL?

  /// A file with the certificate that identifies the client.
  public var clientCertificate: URL?

  /// Creates a description of the certificates; by default, the system decides.
  ///
  /// - Parameters:
  ///   - authority: A file with the certificate of a private authority.
  ///   - clientCertificate: A file with the certificate that identifies the client.
  public init(authority: URL? = nil, clientCertificate: URL? = nil) {
    self.authority = authority
    self.clientCertificate = clientCertificate
  }
}

public import Foundation

/// An error in reaching a cluster, or in reading or changing its values.
///
/// ``description`` names the endpoint or the key, the cause and the remedy. Unless documented otherwise, nothing was
/// changed.
@nonexhaustive
public enum ClusterError: Error, Hashable, Sendable {
  /// An endpoint is not the URL of a member, or there is none.
  case invalidEndpoint(String, reason: String)

  /// The namespace cannot be used.
  case invalidNamespace(String, reason: String)

  /// The transport cannot do what the configuration demands, such as present a client certificate.
  case unsupportedByTransport(String)

  /// No endpoint answers, or the members have no quorum.
  case unreachable(endpoints: [String], reason: String)

  /// The endpoint answers, but not like a member of a cluster.
  case unexpectedAnswer(endpoint: String, reason: String)

  /// The cluster refuses the user's name or password.
  case unauthenticated(endpoint: String, user: String?, reason: String)

  /// The user lacks the permission for the key or the namespace.
  case forbidden(key: String, user: String?)

  /// The cluster refuses a request for another reason; `code` is a code of gRPC.
  case refused(endpoint: String, code: Int, message: String)

  /// A change was not made within its deadline.
  case timedOut(key: String, after: Duration)

  /// A change may or may not have been made: the connection broke, and the outcome could not be determined.
  case uncertain(key: String, reason: String)

  /// Nothing is stored for the key.
  case missing(key: String)

  /// The stored content cannot be decoded as the type of the value.
  case undecodable(key: String, reason: String)

  /// The value cannot be encoded.
  case unencodable(key: String, reason: String)

  /// The encoded value has `size` bytes, more than the `limit`.
  case valueTooLarge(key: String, size: Int, limit: Int)

  /// One message of the watch was longer than the `limit`.
  case messageTooLarge(endpoint: String, limit: Int)

  /// The cluster was restored from a backup, or another cluster took its place.
  case replaced(namespace: String)
}

extension ClusterError: CustomStringConvertible, LocalizedError {
  /// A description of the failed operation, the endpoint or key, the cause and the remedy.
  public var description: String {
    switch self {
    case .invalidEndpoint(let text, let reason):
      "\(text.debugDescription) cannot be an endpoint: \(reason). Use a URL such as \"https://host:2379\"."
    case .invalidNamespace(let text, let reason):
      "\(text.debugDescription) cannot be a namespace: \(reason). Use the name of the service."
    case .unsupportedByTransport(let demand):
      "The transport URLSession has no support for \(demand) here. Pass a transport that has it, such as one over "
        + "AsyncHTTPClient."
    case .unreachable(let endpoints, let reason):
      "The cluster cannot be reached at \(endpoints.joined(separator: ", ")): \(reason). Check the endpoints, the "
        + "network, and that a majority of the members runs."
    case .unexpectedAnswer(let endpoint, let reason):
      "\(endpoint) did not answer like a member of an etcd cluster: \(reason). Check the scheme, the host and the port; "
        + "etcd 3.4 or newer is required."
    case .unauthenticated(let endpoint, let user?, let reason):
      "\(endpoint) refuses the user \(user.debugDescription): \(reason). Check the name and the password."
    case .unauthenticated(let endpoint, nil, let reason):
      "\(endpoint) demands authentication: \(reason). Pass credentials."
    case .forbidden(let key, let user):
      "The user \((user ?? "").debugDescription) has no permission for \(key). Grant a role with access to the prefix of "
        + "the namespace."
    case .refused(let endpoint, let code, let message):
      "\(endpoint) refused the request with code \(code): \(message). Nothing was changed."
    case .timedOut(let key, let duration):
      "\(key) was not changed within \(duration). Check that a majority of the members runs, or allow more time."
    case .uncertain(let key, let reason):
      "\(key) may or may not have been changed: \(reason). Read it before you decide on a retry."
    case .missing(let key):
      "Nothing is stored for \(key). A write or an update stores a value."
    case .undecodable(let key, let reason):
      "The content of \(key) cannot be decoded: \(reason). The last good value stays; write a value to replace it."
    case .unencodable(let key, let reason):
      "The value for \(key) cannot be encoded: \(reason). Nothing was changed."
    case .valueTooLarge(let key, let size, let limit):
      "The value for \(key) has \(size) bytes, more than the limit of \(limit). Store less, or raise the limit here and "
        + "in the cluster."
    case .messageTooLarge(let endpoint, let limit):
      "\(endpoint) sent a message of more than \(limit) bytes. The values were read again; raise the limit if this "
        + "happens often."
    case .replaced(let namespace):
      "The cluster of \(namespace) was restored from a backup or replaced. The values were read again from its current "
        + "state."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

import Foundation

/// A member of the cluster, as it was configured.
struct Endpoint: Sendable, Hashable {
  let url: URL

  /// The text for errors and logs, without a user or password.
  let name: String

  init(_ url: URL) throws(ClusterError) {
    let text = url.absoluteString
    guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
      throw .invalidEndpoint(text, reason: "its scheme is neither http nor https")
    }
    guard let host = url.host(), !host.isEmpty else { throw .invalidEndpoint(text, reason: "it has no host") }
    guard url.user() == nil, url.password() == nil else {
      throw .invalidEndpoint(host, reason: "it contains a user or a password; pass them as credentials")
    }
    self.url = url
    name = text
  }

  /// The URL of a method of etcd.
  func url(of path: String) -> URL { url.appending(path: path) }
}

import Foundation
import Signals

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

/// The pauses between attempts at several endpoints.
///
/// There is none until each endpoint has failed once, and a growing one after each round.
struct EndpointPauses: Sendable {
  private let count: Int
  private var failures = 0
  private var pauses: Backoff.Pauses

  init(_ backoff: Backoff, endpoints count: Int) {
    self.count = count
    pauses = backoff.pauses()
  }

  /// Counts a failed attempt, and returns the pause before the next one.
  mutating func next() -> Duration {
    failures += 1
    // A backoff with a limit repeats its longest pause.
    return failures % count == 0 ? pauses.next() ?? .seconds(5) : .zero
  }

  /// Starts over after a successful attempt.
  mutating func reset() {
    failures = 0
    pauses.reset()
  }
}

import FlyingFox
import Foundation

/// Keeps the pages of other sites in the same browser from reading or changing notes.
struct RequestGuard: Sendable {
  let port: UInt16

  /// The largest body of an action, in bytes.
  private static let limit = 64 << 10

  /// The error for a larger body.
  struct TooLarge: LocalizedError {
    var errorDescription: String? { "The body has more than \(RequestGuard.limit) bytes." }
  }

  /// Returns the reason to refuse a request, or `nil`.
  func refusal(of request: HTTPRequest) -> String? {
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    // A name of a foreign site may lead to this machine, but the browser sends that name.
    guard hosts.contains(request.headers[.host] ?? "") else { return "The host is not \(hosts[0])." }
    let origins = hosts.map { "http://\($0)" }
    guard origins.contains(request.headers[HTTPHeader("Origin")] ?? origins[0]) else { return "The origin is foreign." }
    // A foreign page can send JSON only after a preflight request, which gets no permission here.
    let type = request.headers[.contentType] ?? ""
    guard request.method != .POST || type.hasPrefix("application/json") else { return "The body is not JSON." }
    return nil
  }

  /// Reads a body, and stops at the limit, because a chunked body announces no length.
  func body(of request: HTTPRequest) async throws -> Data {
    var body = Data()
    for try await part in request.bodySequence {
      body.append(part)
      guard body.count <= Self.limit else { throw TooLarge() }
    }
    return body
  }
}

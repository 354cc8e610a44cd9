public import Foundation
public import Signals

/// A way to send HTTP requests to the members of a cluster.
///
/// ``URLSessionTransport`` is the default. Implement this protocol over another HTTP client for private certificate
/// authorities or client certificates.
///
/// - **Threads.** Both methods are called from any thread, and several requests are in progress at a time.
/// - **Cancellation.** If the task of a call is cancelled, the call must end soon. If a subscription to a stream is
///   cancelled, the connection must be closed.
public protocol ClusterTransport: Sendable {
  /// Sends a request, and returns the complete response.
  ///
  /// - Parameter request: The request, whose method is `POST`.
  /// - Returns: The response, whatever its status is.
  /// - Throws: An error if there is no complete response.
  func call(_ request: ClusterRequest) async throws(ClusterTransportError) -> ClusterResponse

  /// Returns a signal that sends a request for each subscription, and then each part of the response as it arrives.
  ///
  /// The response may never end, and may be silent for any time.
  ///
  /// - Parameter request: The request, whose method is `POST`.
  /// - Returns: A signal that finishes with the response, or fails.
  func stream(_ request: ClusterRequest) -> AnySignal<Data, ClusterTransportError>
}

/// A request to a member of a cluster.
public struct ClusterRequest: Sendable {
  /// The URL of the request.
  public var url: URL

  /// The fields of the header.
  public var headers: [String: String]

  /// The body, which is JSON.
  public var body: Data

  /// The time after which a call is cancelled; without meaning for streams.
  public var timeout: Duration

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - headers: The fields of the header.
  ///   - body: The body.
  ///   - timeout: The time after which a call is cancelled.
  public init(url: URL, headers: [String: String], body: Data, timeout: Duration) {
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}

/// A complete response of a member.
public struct ClusterResponse: Sendable {
  /// The status of the response, such as 200.
  public var status: Int

  /// The body.
  public var body: Data

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - body: The body.
  public init(status: Int, body: Data) {
    self.status = status
    self.body = body
  }
}

/// A request that has no complete response.
public struct ClusterTransportError: Error, Hashable, Sendable {
  /// The reason, as a clause without a period.
  public var reason: String

  /// A Boolean value that indicates whether the member has certainly not received the request.
  ///
  /// It decides whether a change may be repeated. Use `false` if in doubt.
  public var isUnsent: Bool

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - reason: The reason, as a clause without a period.
  ///   - isUnsent: A Boolean value that indicates whether the member has certainly not received the request.
  public init(reason: String, isUnsent: Bool) {
    self.reason = reason
    self.isUnsent = isUnsent
  }
}

extension ClusterTransportError: CustomStringConvertible, LocalizedError {
  /// The reason.
  public var description: String { reason }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// The transport of a connection that has none of its own: sockets for `http`, and `URLSession` for `https`.
final class DefaultTransport: ClusterTransport {
  private let plain = SocketTransport()
  private let secure: URLSessionTransport?

  init(endpoints: [URL]) {
    secure = endpoints.contains { $0.scheme?.lowercased() == "https" } ? URLSessionTransport() : nil
  }

  private func transport(of request: ClusterRequest) -> any ClusterTransport {
    guard request.url.scheme?.lowercased() == "https", let secure else { return plain }
    return secure
  }

  func call(_ request: ClusterRequest) async throws(ClusterTransportError) -> ClusterResponse {
    try await transport(of: request).call(request)
  }

  func stream(_ request: ClusterRequest) -> AnySignal<Data, ClusterTransportError> {
    transport(of: request).stream(request)
  }
}

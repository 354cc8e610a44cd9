public import Foundation
import Requests
public import Signals

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport over Foundation's `URLSession`, with the certificate authorities of the system.
///
/// It has no support for private authorities and client certificates.
///
/// > Important: On Linux, `URLSession` of Swift 6.3 ends the process if a member resets a connection before it has
/// > answered. Use another transport for `https` there, until a release contains the correction.
public final class URLSessionTransport: ClusterTransport {
  private let session: RequestSession

  /// Creates a transport with connections of its own.
  public init() {
    let configuration = URLSessionConfiguration.ephemeral
    // Each watch occupies a connection.
    configuration.httpMaximumConnectionsPerHost = 256
    session = RequestSession(configuration: configuration)
  }

  /// Sends a request, and returns the complete response.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response, whatever its status is.
  /// - Throws: An error if there is no complete response.
  public func call(_ request: ClusterRequest) async throws(ClusterTransportError) -> ClusterResponse {
    do {
      let answer = try await session.answer(to: URLRequest(request, timeout: request.timeout))
      return ClusterResponse(status: answer.head?.statusCode ?? 0, body: answer.body)
    } catch is CancellationError {
      throw ClusterTransportError(reason: "the call was cancelled", isUnsent: false)
    } catch {
      throw ClusterTransportError(error)
    }
  }

  /// Returns a signal that sends a request for each subscription, and then each part of the response as it arrives.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal that finishes with the response, or fails.
  public func stream(_ request: ClusterRequest) -> AnySignal<Data, ClusterTransportError> {
    // `URLSession` counts the silence of a watch as time.
    session.response(to: URLRequest(request, timeout: .seconds(7 * 86_400)))
      .compactMap { part in if case .body(let data) = part { data } else { nil } }
      .mapError(ClusterTransportError.init)
      .eraseToAnySignal()
  }
}

extension URLRequest {
  fileprivate init(_ request: ClusterRequest, timeout: Duration) {
    self.init(url: request.url)
    httpMethod = "POST"
    httpBody = request.body
    for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    // Whole seconds: fractions are cut off on Linux.
    timeoutInterval = timeout.inSeconds.rounded(.up) + 1
  }
}

extension ClusterTransportError {
  fileprivate init(_ error: any Error) {
    guard let error = error as? URLError else {
      self.init(reason: clause(of: error.localizedDescription), isUnsent: false)
      return
    }
    let unsent: Set<URLError.Code> = [
      .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .secureConnectionFailed, .serverCertificateUntrusted,
      .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .badURL,
      .unsupportedURL, .notConnectedToInternet,
    ]
    self.init(reason: clause(of: error.localizedDescription), isUnsent: unsent.contains(error.code))
  }
}

/// Returns a text without its final period.
private func clause(of text: String) -> String {
  text.hasSuffix(".") ? String(text.dropLast()) : text
}

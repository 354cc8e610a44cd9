import Foundation
import Signals

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

import AsyncHTTPClient
public import Cluster
public import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
public import Signals

/// A transport of clusters over AsyncHTTPClient, with private certificate authorities and client certificates.
///
/// - **Client certificates.** The gateway of etcd refuses a certificate with a Common Name. Name an organization.
public final class AsyncHTTPTransport: ClusterTransport {
  private let client: HTTPClient

  /// Creates a transport with connections of its own.
  ///
  /// - Parameters:
  ///   - authority: A file with the certificate of a private authority; by default, the authorities of the system are
  ///     trusted.
  ///   - certificate: A file with the certificate that identifies the client.
  ///   - key: A file with the private key of that certificate.
  /// - Throws: An error if a file cannot be read.
  public init(authority: URL? = nil, certificate: URL? = nil, key: URL? = nil) throws {
    var security = TLSConfiguration.makeClientConfiguration()
    if let authority { security.trustRoots = .file(authority.path(percentEncoded: false)) }
    if let certificate, let key {
      security.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate.path(percentEncoded: false))
        .map { .certificate($0) }
      security.privateKey = .privateKey(
        try NIOSSLPrivateKey(file: key.path(percentEncoded: false), format: .pem))
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: security, redirectConfiguration: .disallow,
      // A watch may be silent for any time.
      timeout: .init(connect: .seconds(5), read: nil),
      connectionPool: .init(idleTimeout: .seconds(60), concurrentHTTP1ConnectionsPerHostSoftLimit: 256))
    // Answers are then read as they are.
    configuration.decompression = .disabled
    // Each watch occupies a connection.
    configuration.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit {
    client.shutdown { _ in }
  }

  /// Sends a request, and returns the complete response.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response, whatever its status is.
  /// - Throws: An error if there is no complete response.
  public func call(_ request: ClusterRequest) async throws(ClusterTransportError) -> ClusterResponse {
    do {
      let response = try await client.execute(Self.form(of: request), deadline: .now() + Self.time(request.timeout))
      let body = try await response.body.collect(upTo: 64 << 20)
      return ClusterResponse(status: Int(response.status.code), body: Data(buffer: body))
    } catch {
      throw ClusterTransportError(error)
    }
  }

  /// Returns a signal that sends a request for each subscription, and then each part of the response as it arrives.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal that finishes with the response, or fails.
  public func stream(_ request: ClusterRequest) -> AnySignal<Data, ClusterTransportError> {
    .create { [client] sink in
      let task = Task {
        do {
          let response = try await client.execute(Self.form(of: request), deadline: .distantFuture)
          for try await part in response.body { sink.send(Data(buffer: part)) }
          sink.finish()
        } catch {
          sink.fail(ClusterTransportError(error))
        }
      }
      return SignalSubscription { task.cancel() }
    }
  }

  private static func form(of request: ClusterRequest) -> HTTPClientRequest {
    var form = HTTPClientRequest(url: request.url.absoluteString)
    form.method = .POST
    for (name, value) in request.headers { form.headers.add(name: name, value: value) }
    form.body = .bytes(ByteBuffer(data: request.body))
    return form
  }

  private static func time(_ duration: Duration) -> TimeAmount {
    let (seconds, attoseconds) = duration.components
    return .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
  }
}

extension ClusterTransportError {
  fileprivate init(_ error: any Error) {
    let unsent: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout, .invalidURL, .emptyHost]
    let isUnsent =
      error is NIOConnectionError || error is NIOSSLError || (error as? HTTPClientError).map(unsent.contains) ?? false
    self.init(reason: String(describing: error), isUnsent: isUnsent)
  }
}

public import Foundation

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

import Foundation

/// An error that etcd answered with.
struct EtcdFailure: Error, Sendable, Hashable, Decodable {
  /// The code of the error in gRPC.
  var code: Int
  var message: String

  private enum CodingKeys: String, CodingKey {
    case code, message, error
    case grpcCode = "grpc_code"
  }

  init(code: Int, message: String) {
    (self.code, self.message) = (code, message)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // In a stream, the error has other names.
    guard
      let code = try container.decodeIfPresent(Int.self, forKey: .code)
        ?? container.decodeIfPresent(Int.self, forKey: .grpcCode)
    else {
      throw DecodingError.keyNotFound(
        CodingKeys.code, .init(codingPath: decoder.codingPath, debugDescription: "an error without a code"))
    }
    self.code = code
    message =
      try container.decodeIfPresent(String.self, forKey: .message)
      ?? container.decodeIfPresent(String.self, forKey: .error) ?? ""
  }

  static let canceled = 1
  static let unknown = 2
  static let deadlineExceeded = 4
  static let notFound = 5
  static let permissionDenied = 7
  static let failedPrecondition = 9
  static let outOfRange = 11
  static let internalError = 13
  static let unavailable = 14
  static let unauthenticated = 16

  /// A Boolean value that indicates whether a new token may help.
  var isAboutToken: Bool {
    code == Self.unauthenticated || message.contains("auth store is old") || message.contains("user name is empty")
  }

  /// A Boolean value that indicates whether the server refuses the name or the password.
  var refusesCredentials: Bool {
    message.contains("authentication failed")
  }

  /// A Boolean value that indicates whether the cluster demands no authentication.
  var isAuthenticationOff: Bool {
    code == Self.failedPrecondition && message.contains("authentication is not enabled")
  }

  /// A Boolean value that indicates whether the lease of a request does not exist any more.
  var isAboutLease: Bool {
    code == Self.notFound && message.contains("lease not found")
  }

  /// A Boolean value that indicates whether the revision of a read has been compacted.
  var isCompacted: Bool {
    code == Self.outOfRange && message.contains("compacted")
  }

  /// A Boolean value that indicates whether the request was larger than the server allows.
  var isTooLarge: Bool {
    message.contains("too large") || message.contains("larger than max")
  }

  /// A Boolean value that indicates whether the member lost contact with the majority, or ended.
  var isAboutContact: Bool {
    [Self.canceled, Self.unknown, Self.deadlineExceeded, Self.internalError, Self.unavailable].contains(code)
  }

  /// A Boolean value that indicates whether the request certainly had no effect, but may succeed elsewhere or later.
  var isTemporaryRefusal: Bool {
    message.contains("no leader") || message.contains("too many requests") || message.contains("not started")
  }
}

public import Foundation

/// The error that a delegate throws when the server refuses a session for good, as with `invalid_grant`.
///
/// Its printed form omits the ``reason``, which may quote the refused token.
public struct AuthRejection: Error, Hashable, Sendable {
  /// The reason, in the server's words.
  public let reason: String

  /// The status of the server's answer, such as 400.
  public let status: Int?

  /// Creates the error of a refused session.
  ///
  /// - Parameters:
  ///   - reason: The reason, in the server's words.
  ///   - status: The status of the server's answer, if there is one.
  public init(reason: String, status: Int? = nil) {
    self.reason = reason
    self.status = status
  }
}

extension AuthRejection: CustomStringConvertible, CustomReflectable, LocalizedError {
  /// The refusal and its status, without the reason.
  public var description: String {
    "The server rejected the session\(status.map { " with the status \($0)" } ?? ""). Log in again."
  }

  /// The status, without the reason.
  public var customMirror: Mirror { Mirror(self, children: ["status": status as Any], displayStyle: .struct) }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

import Foundation

/// A failure of the server or of the connection to it, as the delegate threw it.
///
/// A server's explanation of a refusal may quote the token that it refuses. Descriptions and dumps therefore show only
/// the ``kind`` and the ``status``. The error's own words are in ``text``, which is never printed.
///
/// ```swift
/// import Contexts
///
/// let failure = ServerFailure(AuthRejection(reason: "the token ab12 is used up", status: 400))
/// print(failure)  // Prints "AuthRejection 400"
/// print(failure.text)  // Prints "the token ab12 is used up"
/// ```
public struct ServerFailure: Hashable, Sendable {
  /// The type of the error, such as `URLError`.
  public let kind: String

  /// The status of an ``AuthRejection``, or the code of an error that is a `CustomNSError`, such as `URLError`.
  public let status: Int?

  /// The error's own words, which may repeat the server's answer.
  ///
  /// Do not show them where a token must not be seen.
  public let text: String

  /// Creates a failure from an error.
  ///
  /// - Parameter error: The error that the delegate threw.
  public init(_ error: any Error) {
    if let rejection = error as? AuthRejection {
      self.init(kind: "AuthRejection", status: rejection.status, text: rejection.reason)
    } else {
      self.init(
        kind: "\(type(of: error))", status: (error as? any CustomNSError)?.errorCode, text: "\(error)")
    }
  }

  /// Creates a failure from its parts.
  ///
  /// - Parameters:
  ///   - kind: The type of the error.
  ///   - status: The status or code, if there is one.
  ///   - text: The error's own words.
  public init(kind: String, status: Int? = nil, text: String) {
    self.kind = kind
    self.status = status
    self.text = text
  }
}

extension ServerFailure: CustomStringConvertible, CustomReflectable {
  /// The kind and the status, without the text.
  public var description: String { status.map { "\(kind) \($0)" } ?? kind }

  /// The kind and the status, without the text.
  public var customMirror: Mirror {
    Mirror(self, children: ["kind": kind, "status": status as Any], displayStyle: .struct)
  }
}

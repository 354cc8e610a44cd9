public import Foundation

/// A user: who it is, and what the session with the server consists of.
///
/// Any `Codable` value with a text as its `id` is one. It is written down when it logs in and whenever it changes, and
/// is there again after the next start.
///
/// ```swift
/// import Contexts
/// import Foundation
///
/// struct Account: UserProtocol {
///   let id: String
///   var name: String
///   var expiration: Date?
/// }
///
/// let ada = Account(id: "ada", name: "Ada", expiration: Date(timeIntervalSince1970: 0))
/// print(ada.isExpired(at: Date()))  // Prints "true"
/// ```
///
/// What nobody else may read, such as a token, belongs into ``secret`` and not into what is encoded: the archive then
/// keeps it in a ``SecretStore``, apart from the rest.
public protocol UserProtocol: Codable, Sendable, Identifiable where ID == String {
  /// The number of the version that the type is of: raise it when archived users can no longer be decoded as they are.
  static var modelVersion: Int { get }

  /// When the session is no longer valid, by the wall clock; `nil` if it does not say.
  var expiration: Date? { get }

  /// What is to be kept secret, if anything; it must not be part of what is encoded.
  var secret: Data? { get set }
}

extension UserProtocol {
  /// The first version.
  public static var modelVersion: Int { 1 }

  /// Nothing: the session is valid until the server says otherwise.
  public var expiration: Date? { nil }

  /// Nothing; all of the user is in the archive.
  public var secret: Data? {
    get { nil }
    set {}
  }

  /// Whether the session is over at a moment.
  ///
  /// - Parameter date: The moment.
  /// - Returns: Whether ``expiration`` is not after it.
  public func isExpired(at date: Date) -> Bool {
    guard let expiration else { return false }
    return expiration <= date
  }
}

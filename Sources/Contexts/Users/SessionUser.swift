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
/// struct Account: SessionUser {
///   let id: String
///   var name: String
///   var expiration: Date?
/// }
///
/// let ada = Account(id: "ada", name: "Ada", expiration: Date(timeIntervalSince1970: 0))
/// print(ada.isExpired(at: Date()))  // Prints "true"
/// ```
///
/// Return a token from ``secret``, and leave it out of what is encoded: it is then kept in a ``SecretStore``, apart
/// from the archive.
///
/// A user must be encoded as an object, as structures are by default, because a renewal joins users by the names of
/// members. Any other user fails to log in with ``ContextError/unencodableUser(userID:reason:)``.
///
/// A user is printed and dumped with its identity alone, so that no log shows a token, in whatever property it is. A
/// type that has nothing to hide declares a `description` and a `customMirror` of its own.
///
/// ## Topics
///
/// ### Printing a user
///
/// - ``description``
/// - ``customMirror``
public protocol SessionUser: Codable, Sendable, Identifiable, CustomStringConvertible, CustomReflectable
where ID == String {
  /// The number of the version that the type is of: raise it when archived users can no longer be decoded as they are.
  ///
  /// Raise it for a new property, too, if an older program may still be in use. That program drops members that it does
  /// not know when it updates or renews the user. It refuses a user of another version with
  /// ``ContextError/notMigrated(userID:from:to:reason:)``.
  static var modelVersion: Int { get }

  /// When the session is no longer valid, by the wall clock; `nil` if it does not say.
  var expiration: Date? { get }

  /// The moment at which the server issued the session, by the server's clock; `nil` if it is not known.
  ///
  /// With it a client whose clock is wrong knows when the session expires. It is the `iat` of a JSON Web Token, or the
  /// field `Date` of the server's answer.
  ///
  /// Return `nil` unless the server issued the session for this very answer. The clock of sessions is set to this moment,
  /// so that with one of two days ago sessions would expire two days late.
  var issued: Date? { get }

  /// What is to be kept secret, if anything; it must not be part of what is encoded.
  var secret: Data? { get set }

  /// The user as kept in the archive after a logout; `nil` to keep the identity alone.
  ///
  /// ``StandardAppContext/historyUsers`` shows it. Remove every token from it that is encoded.
  var remembered: Self? { get }
}

extension SessionUser {
  /// The first version.
  public static var modelVersion: Int { 1 }

  /// Nothing: the session is valid until the server says otherwise.
  public var expiration: Date? { nil }

  /// Nothing: the client's clock is trusted.
  public var issued: Date? { nil }

  /// Nothing: after a logout the archive keeps the identity alone.
  public var remembered: Self? { nil }

  /// The type and the identity, and nothing else of the user.
  public var description: String { "\(Self.self)(id: \(id.debugDescription))" }

  /// The identity, and nothing else of the user.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }

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

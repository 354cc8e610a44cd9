public import Foundation

/// A user with an identity and a session.
///
/// Any `Codable` type with a string as its `id` can conform. The user is archived at login and after each change, and
/// restored at the next start.
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
/// Declare a token as `var secret: Data?`. It is then kept in a ``SecretStore``, separate from the archive. A property
/// of this name with another type is archived like the rest of the user.
///
/// A user must be encoded as an object, which is the default for structures, because a renewal merges users by the
/// names of members. The login of any other user fails with ``ContextError/unencodableUser(userID:reason:)``.
///
/// Printing or dumping a user shows only the identity, so that no property can put a token into a log. A type without
/// secrets can declare its own `description` and `customMirror`.
///
/// ## Topics
///
/// ### Printing a user
///
/// - ``description``
/// - ``customMirror``
public protocol SessionUser: Codable, Sendable, Identifiable, CustomStringConvertible, CustomReflectable
where ID == String {
  /// The version of the type.
  ///
  /// Raise it when archived users can no longer be decoded.
  ///
  /// Also raise it for a new property if an older program may still be in use. That program drops members that it does
  /// not know when it updates or renews the user. It refuses a user of another version with
  /// ``ContextError/notMigrated(userID:from:to:reason:)``.
  static var modelVersion: Int { get }

  /// The date on the wall clock at which the session expires, or `nil` if it does not expire by itself.
  var expiration: Date? { get }

  /// The date on the server's clock at which it issued the session, or `nil` if it is not known.
  ///
  /// With this date, a client whose clock is wrong knows when the session expires. It is the `iat` of a JSON Web Token,
  /// or the field `Date` of the server's answer.
  ///
  /// Return `nil` unless the server issued the session for this very answer. The clock of sessions is set to this date,
  /// so with a date from two days ago, sessions would expire two days late.
  var issued: Date? { get }

  /// The data to keep secret, if any.
  ///
  /// The user is encoded after this is set to `nil`, and must then contain no token.
  var secret: Data? { get set }

  /// The user to keep in the archive after a logout, or `nil` to keep the identity alone.
  ///
  /// ``StandardAppContext/historyUsers`` contains it. Remove every encoded token from it.
  var remembered: Self? { get }
}

extension SessionUser {
  /// The first version.
  public static var modelVersion: Int { 1 }

  /// `nil`: the session is valid until the server refuses it.
  public var expiration: Date? { nil }

  /// `nil`: the client's clock is trusted.
  public var issued: Date? { nil }

  /// `nil`: after a logout, the archive keeps the identity alone.
  public var remembered: Self? { nil }

  /// The type and the identity, without other properties.
  public var description: String { "\(Self.self)(id: \(id.debugDescription))" }

  /// The identity, without other properties.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }

  /// `nil`: the archive holds the whole user.
  public var secret: Data? {
    get { nil }
    set {}
  }

  /// Returns whether the session has expired at a date.
  ///
  /// - Parameter date: The date.
  /// - Returns: `true` if ``expiration`` is not after the date.
  public func isExpired(at date: Date) -> Bool {
    guard let expiration else { return false }
    return expiration <= date
  }
}

import FileSignals
public import Foundation
import Signals

/// A cookie with all attributes of RFC 6265 and its successor, as a server has set it.
public struct Cookie: Codable, Hashable, Sendable {
  /// The cross-site requests that a cookie is sent with.
  public enum SameSite: String, Codable, Hashable, Sendable {
    /// No cross-site requests.
    case strict
    /// Only requests by which a user navigates from one site to the other: the default if a server names none.
    case lax
    /// All encrypted requests.
    case none
  }

  /// The name.
  public let name: String

  /// The value.
  public let value: String

  /// The host, in lower case, without a dot at its beginning.
  public let domain: String

  /// A Boolean value that indicates whether the cookie is sent to this host only, and not to its subdomains.
  public let isHostOnly: Bool

  /// The path below which the cookie is sent.
  public let path: String

  /// The date at which the cookie expires; `nil` for a session cookie.
  ///
  /// A session cookie stays until it is removed, because the app decides when a session ends.
  public let expires: Date?

  /// A Boolean value that indicates whether the cookie is sent with encrypted requests only.
  public let isSecure: Bool

  /// A Boolean value that indicates whether the cookie is hidden from scripts.
  public let isHTTPOnly: Bool

  /// The cross-site requests that the cookie is sent with.
  public let sameSite: SameSite

  /// The date at which the cookie was first set.
  public internal(set) var createdAt: Date

  /// Creates a cookie from parts that your code has chosen.
  ///
  /// The program stops if a part would change the meaning of a request's header. To read what a server sent, use
  /// ``init(header:from:at:)``.
  ///
  /// - Parameters:
  ///   - name: The name, without a control character, a semicolon or an equals sign.
  ///   - value: The value, without a control character or a semicolon.
  ///   - domain: The host. With a leading dot, the cookie is also sent to all subdomains.
  ///   - path: The path below which the cookie is sent; it begins with a slash.
  ///   - expires: The date at which the cookie expires; `nil` for a session cookie.
  ///   - isSecure: Pass `true` to send the cookie with encrypted requests only.
  ///   - isHTTPOnly: Pass `true` to hide the cookie from scripts.
  ///   - sameSite: The cross-site requests to send the cookie with.
  ///   - createdAt: The date at which the cookie was first set.
  public init(
    name: String, value: String, domain: String, path: String = "/", expires: Date? = nil, isSecure: Bool = false,
    isHTTPOnly: Bool = false, sameSite: SameSite = .lax, createdAt: Date = Date()
  ) {
    let parts = name + value + path
    if Self.hasControl(parts) || parts.holds(";") || name.holds("=") {
      stop(because: "The cookie \(name.debugDescription) contains a character that would alter the request's header")
    }
    if !path.begins(with: "/") {
      stop(because: "The path \(path.debugDescription) of a cookie must begin with a slash")
    }
    if domain.isEmpty || domain.holds("/") {
      stop(because: "The domain \(domain.debugDescription) of a cookie must be a host name")
    }
    let host = domain.lowercased()
    isHostOnly = !host.begins(with: ".")
    self.domain = isHostOnly ? host : String(host.unicodeScalars.dropFirst())
    (self.name, self.value, self.path, self.expires) = (name, value, path, expires)
    (self.isSecure, self.isHTTPOnly, self.sameSite, self.createdAt) = (isSecure, isHTTPOnly, sameSite, createdAt)
  }

  /// Returns whether this cookie replaces another one.
  func replaces(_ other: Cookie) -> Bool {
    (name, domain, isHostOnly, path) == (other.name, other.domain, other.isHostOnly, other.path)
  }

  func isOver(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

  /// Returns whether the cookie is sent with a request.
  func matches(_ target: CookieTarget) -> Bool {
    let isHost = target.host == domain || (!isHostOnly && target.isBelow(domain))
    return isHost && (!isSecure || target.isEncrypted) && target.isBelow(path: path)
  }
}

/// The part of a URL that matters to cookies.
struct CookieTarget {
  let host: String
  let path: String
  let isEncrypted: Bool

  init?(_ url: URL) {
    guard let host = url.host()?.lowercased(), !host.isEmpty, let scheme = url.scheme?.lowercased() else { return nil }
    // A dot at the end means the same host.
    self.host = host.without(ending: ".") ?? host
    isEncrypted = scheme == "https" || scheme == "wss"
    let path = url.path()
    self.path = path.begins(with: "/") ? path : "/"
  }

  /// Returns whether the host is a subdomain of a domain.
  func isBelow(_ domain: String) -> Bool { !isAddress && host.ends(with: "." + domain) }

  /// Returns whether the path is below another one, or is equal to it.
  func isBelow(path prefix: String) -> Bool {
    path.utf8.elementsEqual(prefix.utf8) || path.isPath(below: prefix)
  }

  /// The path below which a cookie is sent if the server does not name one.
  var defaultPath: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// A Boolean value that indicates whether the host is an IP address, which has no subdomains.
  var isAddress: Bool {
    host.holds(":") || host.split(separator: ".").last?.allSatisfy(\.isNumber) == true
  }
}

public import Foundation

/// A cookie as a server has set it, with all that RFC 6265 and its successor say about it.
public struct Cookie: Codable, Hashable, Sendable {
  /// Which requests that begin at other sites a cookie goes with.
  public enum SameSite: String, Codable, Hashable, Sendable {
    /// With none.
    case strict
    /// Only with those by which a user goes from one site to the other. It is what holds if a server says nothing.
    case lax
    /// With all, if they are encrypted.
    case none
  }

  /// The name.
  public let name: String

  /// The value.
  public let value: String

  /// The host, in lower case, without a dot at its beginning.
  public let domain: String

  /// Whether it goes to this host only, and not to those of which it is the end.
  public let isHostOnly: Bool

  /// The path below which it is sent.
  public let path: String

  /// When it ends; `nil` if nobody has said.
  ///
  /// Such a cookie stays until it is removed: what a session is, the app knows.
  public let expires: Date?

  /// Whether it goes with encrypted requests only.
  public let isSecure: Bool

  /// Whether it is hidden from scripts.
  public let isHTTPOnly: Bool

  /// Which requests that begin at other sites it goes with.
  public let sameSite: SameSite

  /// When it was set first.
  public internal(set) var createdAt: Date

  /// Makes a cookie.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - value: The value.
  ///   - domain: The host, or, with a dot at its beginning, all hosts of which it is the end.
  ///   - path: The path below which it is sent.
  ///   - expires: When it ends.
  ///   - isSecure: Whether it goes with encrypted requests only.
  ///   - isHTTPOnly: Whether it is hidden from scripts.
  ///   - sameSite: Which requests that begin at other sites it goes with.
  ///   - createdAt: When it was set first.
  public init(
    name: String, value: String, domain: String, path: String = "/", expires: Date? = nil, isSecure: Bool = false,
    isHTTPOnly: Bool = false, sameSite: SameSite = .lax, createdAt: Date = Date()
  ) {
    let host = domain.lowercased()
    isHostOnly = !host.hasPrefix(".")
    self.domain = isHostOnly ? host : String(host.dropFirst())
    (self.name, self.value, self.path, self.expires) = (name, value, path, expires)
    (self.isSecure, self.isHTTPOnly, self.sameSite, self.createdAt) = (isSecure, isHTTPOnly, sameSite, createdAt)
  }

  /// Whether it takes the place of another one.
  func replaces(_ other: Cookie) -> Bool {
    (name, domain, isHostOnly, path) == (other.name, other.domain, other.isHostOnly, other.path)
  }

  func isOver(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

  /// Whether it goes with a request to a URL.
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
    self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
    isEncrypted = scheme == "https" || scheme == "wss"
    let path = url.path()
    self.path = path.hasPrefix("/") ? path : "/"
  }

  /// Whether the host ends in a domain, name by name.
  func isBelow(_ domain: String) -> Bool { !isAddress && host.hasSuffix("." + domain) }

  /// Whether the path begins with another, name by name.
  func isBelow(path prefix: String) -> Bool {
    path == prefix || (path.hasPrefix(prefix) && (prefix.hasSuffix("/") || path.dropFirst(prefix.count).hasPrefix("/")))
  }

  /// The path below which a cookie is sent if its server does not say.
  var defaultPath: String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Whether the host is a number, which is the end of no other.
  var isAddress: Bool {
    host.contains(":") || host.split(separator: ".").last?.allSatisfy(\.isNumber) == true
  }
}

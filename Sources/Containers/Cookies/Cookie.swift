import FileSignals
public import Foundation
import Signals

/// A cookie with all attributes of RFC 6265 and its successor, as a server has set it.
public struct Cookie: Codable, Hashable, Sendable {
  /// The cross-site requests that a cookie is sent with.
  @frozen
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
    if Self.altersHeader(name, value, path) {
      stop(because: "The cookie \(name.debugDescription) contains a character that would alter the request's header")
    }
    if !path.begins(with: "/") {
      stop(because: "The path \(path.debugDescription) of a cookie must begin with a slash")
    }
    if domain.isEmpty || domain.utf8.contains(UInt8(ascii: "/")) {
      stop(because: "The domain \(domain.debugDescription) of a cookie must be a host name")
    }
    let host = domain.lowercased()
    isHostOnly = !host.begins(with: ".")
    self.domain = isHostOnly ? host : String(host.dropFirst())
    (self.name, self.value, self.path, self.expires) = (name, value, path, expires)
    (self.isSecure, self.isHTTPOnly, self.sameSite, self.createdAt) = (isSecure, isHTTPOnly, sameSite, createdAt)
  }

  private static func altersHeader(_ name: String, _ value: String, _ path: String) -> Bool {
    [name, value, path].contains { hasControl($0) || $0.utf8.contains(UInt8(ascii: ";")) }
      || name.utf8.contains(UInt8(ascii: "="))
  }

  /// A Boolean value that indicates whether the cookie can be part of a header.
  ///
  /// A cookie from a damaged or forged file may not be.
  var isWellFormed: Bool { !Self.altersHeader(name, value, path) }

  /// Returns whether this cookie replaces another one.
  ///
  /// Names and paths are compared by their bytes, as servers do, and not by canonical equivalence.
  func replaces(_ other: Cookie) -> Bool {
    hasName(of: other) && domain == other.domain && isHostOnly == other.isHostOnly
      && path.utf8.elementsEqual(other.path.utf8)
  }

  /// Returns whether a cookie without `Secure` would be sent in place of, or beside, another one that has it.
  func overlays(_ other: Cookie) -> Bool {
    other.isSecure && hasName(of: other)
      && (CookieTarget.isBelow(domain, other.domain) || CookieTarget.isBelow(other.domain, domain))
      && CookieTarget.isBelow(path: path, other.path)
  }

  private func hasName(of other: Cookie) -> Bool { name.utf8.elementsEqual(other.name.utf8) }

  func isOver(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

  /// Returns whether the cookie is sent with a request.
  func matches(_ target: CookieTarget) -> Bool {
    let isHost = target.host == domain || (!isHostOnly && target.isBelow(domain))
    return isHost && (!isSecure || target.isTrusted) && CookieTarget.isBelow(path: target.path, path)
  }
}

/// The part of a URL that matters to cookies.
struct CookieTarget {
  let host: String
  let path: String

  /// A Boolean value that indicates whether secure cookies may be exchanged: the connection is encrypted, or the server
  /// is on this machine.
  let isTrusted: Bool

  init?(_ url: URL) {
    guard var host = url.host()?.lowercased(), !host.isEmpty, let scheme = url.scheme?.lowercased() else { return nil }
    // A dot at the end means the same host, and an address of the sixth version may have brackets.
    if host.ends(with: ".") { host.removeLast() }
    if host.begins(with: "["), host.ends(with: "]") { host = String(host.dropFirst().dropLast()) }
    self.host = host
    isTrusted = scheme == "https" || scheme == "wss" || Self.isThisMachine(host)
    let path = url.path()
    self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/"
  }

  /// Returns whether a host is this machine, which browsers trust without encryption, too.
  private static func isThisMachine(_ host: String) -> Bool {
    if host == "localhost" || host.ends(with: ".localhost") || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Returns whether the host is a subdomain of a domain.
  func isBelow(_ domain: String) -> Bool { host != domain && Self.isBelow(host, domain) }

  /// Returns whether a host is a subdomain of another one, or is equal to it.
  ///
  /// An address has no subdomains.
  static func isBelow(_ host: String, _ domain: String) -> Bool {
    host == domain || (!isAddress(host) && host.ends(with: "." + domain))
  }

  /// Returns whether a path is below another one, or is equal to it.
  static func isBelow(path: String, _ prefix: String) -> Bool {
    let (path, prefix, slash) = (path.utf8, prefix.utf8, UInt8(ascii: "/"))
    guard path.starts(with: prefix) else { return false }
    let next = path.dropFirst(prefix.count).first
    return next == nil || next == slash || prefix.last == slash
  }

  /// The path below which a cookie is sent if the server does not name one.
  var defaultPath: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// A Boolean value that indicates whether the host is an IP address.
  var isAddress: Bool { Self.isAddress(host) }

  private static func isAddress(_ host: String) -> Bool {
    host.utf8.contains(UInt8(ascii: ":"))
      || host.split(separator: ".").last?.utf8.allSatisfy { (0x30...0x39).contains($0) } == true
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A cookie of Foundation in a form that can be stored, with all its attributes.
///
/// On Linux, Foundation's own form loses attributes. `Secure` is written in a form that cannot be read back.
/// `HttpOnly`, and an expiration date that was given as `Max-Age`, are omitted.
struct SavedCookie: Codable, Hashable, Sendable {
  var name: String
  var value: String
  var domain: String
  var path: String
  /// The expiration date; `nil` if the cookie ends with the program.
  var expires: Date?
  var isSecure: Bool
  var isHTTPOnly: Bool
  var sameSite: String?
  var version: Int

  init(_ cookie: HTTPCookie) {
    name = cookie.name
    value = cookie.value
    domain = cookie.domain
    path = cookie.path
    expires = cookie.expiresDate ?? Self.end(of: cookie)
    isSecure = cookie.isSecure
    isHTTPOnly = cookie.isHTTPOnly
    sameSite = cookie.properties?[HTTPCookiePropertyKey("SameSite")] as? String
    version = cookie.version
  }

  /// Returns the expiration date of a cookie for which Foundation reports none.
  private static func end(of cookie: HTTPCookie) -> Date? {
    let properties = cookie.properties ?? [:]
    if let age = (properties[.maximumAge] as? String).flatMap(CookieDate.lifetime) {
      let created = properties[HTTPCookiePropertyKey("Created")] as? Double
      return (created.map(Date.init(timeIntervalSinceReferenceDate:)) ?? Date()).addingTimeInterval(age)
    }
    if let date = properties[.expires] as? Date { return date }
    return (properties[.expires] as? String).flatMap(CookieDate.date)
  }

  /// The cookie for Foundation; `nil` if Foundation considers it invalid, or if it contains a line break that would
  /// begin another header.
  var cookie: HTTPCookie? {
    guard ![name, value, domain, path].contains(where: { $0.utf8.contains { [0, 10, 13].contains($0) } }) else {
      return nil
    }
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: domain, .path: path, .version: String(version),
    ]
    if isSecure { properties[.secure] = "TRUE" }
    if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    if let sameSite { properties[HTTPCookiePropertyKey("SameSite")] = sameSite }
    if let expires { properties[.expires] = expires } else { properties[.discard] = "TRUE" }
    return HTTPCookie(properties: properties)
  }
}

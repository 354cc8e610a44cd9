import FileSignals
public import Foundation

extension Cookie {
  /// Creates a cookie from the value of a `Set-Cookie` header, or returns `nil` if it is invalid or not permitted.
  ///
  /// A server may not set a cookie for another domain or for a whole top-level domain such as `com`. Without an
  /// encrypted connection it may not set a `Secure` cookie. A cookie whose name has the prefix `__Secure-` or `__Host-`
  /// must have the attributes that the prefix requires.
  ///
  /// - Parameters:
  ///   - header: The value of the header, with one cookie.
  ///   - url: The URL of the response.
  ///   - date: The date of the response.
  public init?(header: String, from url: URL, at date: Date = Date()) {
    guard let target = CookieTarget(url), header.utf8.count <= 8192, !Self.hasControl(header) else { return nil }
    let parts = header.parts(separatedBy: ";").map(Self.pair)
    guard let (name, value) = parts.first, let value, !name.isEmpty || !value.isEmpty,
      name.utf8.count + value.utf8.count <= 4096
    else { return nil }
    var attributes: [String: String] = [:]
    // The last of several attributes with one name counts.
    for (name, value) in parts.dropFirst() { attributes[name.lowercased()] = value ?? "" }

    guard let domain = Self.domain(attributes["domain"], target) else { return nil }
    let path = attributes["path"].flatMap { $0.begins(with: "/") ? $0 : nil }
    let isSecure = attributes["secure"] != nil
    let sameSite = SameSite(rawValue: attributes["samesite"]?.lowercased() ?? "") ?? .lax
    if isSecure, !target.isEncrypted { return nil }
    if sameSite == .none, !isSecure { return nil }
    let lowercased = name.lowercased()
    if lowercased.begins(with: "__secure-"), !isSecure { return nil }
    if lowercased.begins(with: "__host-"), !isSecure || path != "/" || domain.begins(with: ".") { return nil }
    self.init(
      name: name, value: value, domain: domain, path: path ?? target.defaultPath, expires: Self.end(attributes, date),
      isSecure: isSecure, isHTTPOnly: attributes["httponly"] != nil, sameSite: sameSite, createdAt: date)
  }

  /// Splits a pair into its name and the text after the equals sign, if there is one.
  private static func pair(_ text: String) -> (String, String?) {
    let text = text.unicodeScalars
    guard let sign = text.firstIndex(of: "=") else { return (trimmed(text[...]), nil) }
    return (trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...]))
  }

  private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
    var rest = text
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest.drop { $0 == " " || $0 == "\t" })
  }

  static func hasControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0 != "\t" && $0.properties.generalCategory == .control }
  }

  /// The domain with a leading dot, or the host without one; `nil` if the server may not name the domain.
  private static func domain(_ attribute: String?, _ target: CookieTarget) -> String? {
    guard var domain = attribute?.lowercased(), !domain.isEmpty else { return target.host }
    if domain.begins(with: ".") { domain.unicodeScalars.removeFirst() }
    guard domain == target.host || target.isBelow(domain) else { return nil }
    // A top-level domain: only a host of exactly that name may set the cookie, for itself.
    guard domain.holds(".") else { return domain == target.host ? target.host : nil }
    return target.isAddress ? target.host : "." + domain
  }

  /// The date at which the cookie expires: `Max-Age` takes precedence over `Expires`.
  private static func end(_ attributes: [String: String], _ date: Date) -> Date? {
    if let seconds = attributes["max-age"].flatMap(CookieDate.lifetime) {
      return seconds == 0 ? .distantPast : date.addingTimeInterval(seconds)
    }
    return attributes["expires"].flatMap(CookieDate.date)
  }
}

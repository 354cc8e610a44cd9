public import Foundation

extension Cookie {
  /// Reads the value of a `Set-Cookie` header; fails if that is no cookie, or one that this server may not set.
  ///
  /// It may not set cookies for another domain, for all of a top-level one such as `com`, `Secure` ones over a
  /// connection that is not encrypted, or against the promise of their name.
  ///
  /// - Parameters:
  ///   - header: The value, with one cookie.
  ///   - url: Where it came from.
  ///   - date: When it came.
  public init?(header: String, from url: URL, at date: Date = Date()) {
    guard let target = CookieTarget(url), header.utf8.count <= 8192, !Self.hasControl(header) else { return nil }
    let parts = header.split(separator: ";", omittingEmptySubsequences: false).map(Self.pair)
    guard let (name, value) = parts.first, let value, !name.isEmpty || !value.isEmpty,
      name.utf8.count + value.utf8.count <= 4096
    else { return nil }
    var attributes: [String: String] = [:]
    // Of several of one name, the last counts.
    for (name, value) in parts.dropFirst() { attributes[name.lowercased()] = value ?? "" }

    guard let domain = Self.domain(attributes["domain"], target) else { return nil }
    let path = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let isSecure = attributes["secure"] != nil
    let sameSite = SameSite(rawValue: attributes["samesite"]?.lowercased() ?? "") ?? .lax
    if isSecure, !target.isEncrypted { return nil }
    if sameSite == .none, !isSecure { return nil }
    let lowercased = name.lowercased()
    if lowercased.hasPrefix("__secure-"), !isSecure { return nil }
    if lowercased.hasPrefix("__host-"), !isSecure || path != "/" || domain.hasPrefix(".") { return nil }
    self.init(
      name: name, value: value, domain: domain, path: path ?? target.defaultPath, expires: Self.end(attributes, date),
      isSecure: isSecure, isHTTPOnly: attributes["httponly"] != nil, sameSite: sameSite, createdAt: date)
  }

  /// A name, and what stands behind its equals sign, if there is one.
  private static func pair(_ text: Substring) -> (String, String?) {
    guard let sign = text.firstIndex(of: "=") else { return (trimmed(text), nil) }
    return (trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...]))
  }

  private static func trimmed(_ text: Substring) -> String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let rest = text.drop(while: isBlank)
    return String(rest.reversed().drop(while: isBlank).reversed())
  }

  private static func hasControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0 != "\t" && $0.properties.generalCategory == .control }
  }

  /// The domain with a dot before it, the host without one; `nil` if the server may not name it.
  private static func domain(_ attribute: String?, _ target: CookieTarget) -> String? {
    guard var domain = attribute?.lowercased(), !domain.isEmpty else { return target.host }
    if domain.hasPrefix(".") { domain.removeFirst() }
    guard domain == target.host || target.isBelow(domain) else { return nil }
    // The end of all hosts of a country or a company; only a host of that name itself may set it, for itself.
    guard domain.contains(".") else { return domain == target.host ? target.host : nil }
    return target.isAddress ? target.host : "." + domain
  }

  /// When the cookie ends: `Max-Age` counts, and `Expires` only without it.
  private static func end(_ attributes: [String: String], _ date: Date) -> Date? {
    if let seconds = attributes["max-age"].flatMap(CookieDate.lifetime) {
      return seconds == 0 ? .distantPast : date.addingTimeInterval(seconds)
    }
    return attributes["expires"].flatMap(CookieDate.date)
  }
}

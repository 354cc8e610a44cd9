import FileSignals
public import Foundation

extension Cookie {
  /// Creates a cookie from the value of a `Set-Cookie` header, or returns `nil` if it is invalid or not permitted.
  ///
  /// The rules are those of RFC 6265bis. A server may not set a cookie for another domain or for a whole top-level
  /// domain such as `com`. Without an encrypted connection, only a server on this machine may set a `Secure` cookie. A
  /// cookie whose name has the prefix `__Secure-` or `__Host-` must have the attributes that the prefix requires. A
  /// header without an equals sign is a cookie with an empty name.
  ///
  /// - Parameters:
  ///   - header: The value of the header, with one cookie.
  ///   - url: The URL of the response.
  ///   - date: The date of the response.
  public init?(header: String, from url: URL, at date: Date = Date()) {
    guard let target = CookieTarget(url), header.utf8.count <= 8192, !Self.hasControl(header) else { return nil }
    let parts = header.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Self.pair)
    guard let first = parts.first else { return nil }
    let (name, value) = first.value.map { (first.name, $0) } ?? ("", first.name)
    let attributes = Attributes(parts.dropFirst(), date)
    guard !name.isEmpty || !value.isEmpty, name.utf8.count + value.utf8.count <= 4096,
      let domain = Self.domain(attributes.domain, target)
    else { return nil }
    let path = attributes.path ?? ""
    if attributes.isSecure, !target.isTrusted { return nil }
    if attributes.sameSite == SameSite.none, !attributes.isSecure { return nil }
    // A server reads a cookie without a name as its value, which may look like a name with a prefix.
    let text = (name.isEmpty ? value : name).lowercased()
    let (claimsSecure, claimsHost) = (text.begins(with: "__secure-"), text.begins(with: "__host-"))
    if name.isEmpty, claimsSecure || claimsHost { return nil }
    if claimsSecure || claimsHost, !attributes.isSecure { return nil }
    if claimsHost, path != "/" || domain.begins(with: ".") { return nil }
    self.init(
      name: name, value: value, domain: domain, path: path.begins(with: "/") ? path : target.defaultPath,
      expires: attributes.end ?? attributes.expires, isSecure: attributes.isSecure, isHTTPOnly: attributes.isHTTPOnly,
      sameSite: attributes.sameSite, createdAt: date)
  }

  /// Splits the text of several `Set-Cookie` headers that a client has joined with commas.
  ///
  /// A comma ends a header if a name and an equals sign follow it. The comma in a date is followed by neither.
  static func headers(joined text: String) -> [String] {
    var (headers, rest): ([String], Substring) = ([], text[...])
    var place = rest.startIndex
    while let comma = rest.utf8[place...].firstIndex(of: UInt8(ascii: ",")) {
      place = rest.utf8.index(after: comma)
      let next = rest.utf8[place...].drop(while: isBlank)
      let name = next.prefix { isPartOfName($0) }
      guard !name.isEmpty, next.dropFirst(name.count).first == UInt8(ascii: "=") else { continue }
      headers.append(String(rest[..<comma]))
      rest = rest[place...]
    }
    return headers + [String(rest)]
  }

  /// The attributes of a header.
  ///
  /// Those that are invalid count as missing; the last of several with one name counts.
  private struct Attributes {
    var domain: String?
    var path: String?
    /// The end that `Max-Age` names, which takes precedence over `Expires`.
    var end: Date?
    var expires: Date?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite = SameSite.lax

    init(_ parts: some Sequence<(name: String, value: String?)>, _ date: Date) {
      for (name, value) in parts {
        let value = value ?? ""
        guard value.utf8.count <= 1024 else { continue }
        switch name.lowercased() {
        case "domain": domain = value
        case "path": path = value
        case "max-age":
          guard let seconds = CookieDate.lifetime(value) else { continue }
          end = seconds == 0 ? .distantPast : date.addingTimeInterval(seconds)
        case "expires": expires = CookieDate.date(value) ?? expires
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = SameSite(rawValue: value.lowercased()) ?? .lax
        default: continue
        }
      }
    }
  }

  /// Splits a pair into its name and the text after the equals sign, if there is one.
  private static func pair(_ text: Substring.UTF8View) -> (name: String, value: String?) {
    guard let sign = text.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(text), nil) }
    return (trimmed(text[..<sign]), trimmed(text[text.index(after: sign)...]))
  }

  private static func trimmed(_ text: Substring.UTF8View) -> String {
    let rest = text.drop(while: isBlank)
    let end = rest.lastIndex { !isBlank($0) }.map { rest.index(after: $0) } ?? rest.startIndex
    return String(Substring(rest[..<end]))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// Returns whether a byte may be part of a name by the grammar of HTTP.
  private static func isPartOfName(_ byte: UInt8) -> Bool {
    (0x21..<0x7F).contains(byte) && !#""(),/:;<=>?@[\]{}"#.utf8.contains(byte)
  }

  /// Returns whether a text contains a character that ends or alters a header, which a tab does not.
  ///
  /// The characters from U+0080 to U+009F are none: they are parts of `é` or `日` in UTF-8 that was read as Latin-1.
  static func hasControl(_ text: String) -> Bool {
    text.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }
  }

  /// The domain with a leading dot, or the host without one; `nil` if the server may not name the domain.
  private static func domain(_ attribute: String?, _ target: CookieTarget) -> String? {
    guard var domain = attribute?.lowercased(), domain.utf8.allSatisfy({ $0 < 0x80 }) else {
      return attribute == nil ? target.host : nil
    }
    if domain.begins(with: ".") { domain.removeFirst() }
    if domain.begins(with: "["), domain.ends(with: "]") { domain = String(domain.dropFirst().dropLast()) }
    if domain.isEmpty { return target.host }
    guard domain == target.host || target.isBelow(domain) else { return nil }
    // A top-level domain: only a host of exactly that name may set the cookie, for itself.
    guard domain.contains(".") else { return domain == target.host ? target.host : nil }
    return target.isAddress ? target.host : "." + domain
  }
}

/// Reads the dates of cookies, which servers write in many forms, by the rules of RFC 6265.
enum CookieDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Returns the date in a string; `nil` if there is none.
  static func date(_ text: String) -> Date? {
    var (time, day, month, year): ([Int]?, Int?, Int?, Int?)
    for word in text.utf8.split(whereSeparator: isDelimiter) {
      if time == nil, let found = Self.time(word) {
        time = found
      } else if day == nil, let number = Self.number(word, 1...2) {
        day = number
      } else if month == nil, let index = months.firstIndex(of: String(Substring(word.prefix(3))).lowercased()) {
        month = index + 1
      } else if year == nil, let number = Self.number(word, 2...4) {
        year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
      }
    }
    guard let time, let day, let month, let year, year >= 1601, (1...length(year, month)).contains(day),
      time[0] < 24, time[1] < 60, time[2] < 60
    else { return nil }
    let days = Self.days(year, month, day)
    return Date(timeIntervalSince1970: Double(days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]))
  }

  /// The number of seconds in a `Max-Age` attribute; `nil` if it is invalid, which counts as missing.
  static func lifetime(_ text: String) -> Double? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
    guard !digits.isEmpty, digits.allSatisfy(isDigit), let seconds = Double(String(Substring(digits))) else {
      return nil
    }
    // Ten thousand years are enough, and fit into a date that can be stored.
    return isNegative ? 0 : min(seconds, 3.2e11)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// Returns the number at the beginning of a word; `nil` if it does not have as many digits.
  private static func number(_ word: Substring.UTF8View, _ count: ClosedRange<Int>) -> Int? {
    let digits = word.prefix(while: isDigit)
    return count.contains(digits.count) ? Int(Substring(digits)) : nil
  }

  private static func time(_ word: Substring.UTF8View) -> [Int]? {
    let parts = word.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit) else { return nil }
    let numbers = parts.compactMap { number($0, 1...2) }
    return numbers.count == 3 ? numbers : nil
  }

  /// The number of days of a month.
  private static func length(_ year: Int, _ month: Int) -> Int {
    month == 12 ? 31 : days(year, month + 1, 1) - days(year, month, 1)
  }

  /// The number of days from 1 January 1970 to a day of the Gregorian calendar.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years begin in March, so that a leap day is the last day of its year.
    let years = month > 2 ? year : year - 1
    let era = years / 400
    let ofEra = years - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}

import AppGroups
import FileSignals
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Switches the cookies of an `HTTPCookieStorage` together with an environment's files.
///
/// While their environment is active, the cookies are in Foundation's storage, and otherwise in a file of the
/// environment. A cookie for a host that cannot exist names the environment.
struct CookieSettings: EnvironmentSettings, @unchecked Sendable {  // Sound: storages may be used from any thread.
  /// The host of the cookie that names the environment of the other cookies.
  static let ownerHost = "container.signals.invalid"
  static let ownerName = "container"

  let name: String
  private let storage: HTTPCookieStorage
  private let fileName: String

  init(_ storage: HTTPCookieStorage, name: String) throws(AppContainerError) {
    if let problem = PathComponent.problem(with: name, limit: PathComponent.maximumFileLength) {
      throw .settingsFailed("The cookies \(name.debugDescription)", reason: problem)
    }
    self.name = "The cookies \(name.debugDescription)"
    self.storage = storage
    fileName = "cookies-\(name).json"
  }

  func isSame(as other: any EnvironmentSettings) -> Bool {
    guard let other = other as? CookieSettings else { return false }
    return other.storage === storage
  }

  private struct Contents: Codable, Sendable {
    /// JSON on one line, because people need not read it.
    static let format = FileFormat<Contents>.record(
      FileVersions(Contents.self),
      coding: FileCoding(
        encode: { value in
          let encoder = JSONEncoder()
          encoder.outputFormatting = [.sortedKeys]
          return try encoder.encode(value)
        },
        decode: { try JSONDecoder().decode($0, from: $1) }))

    var cookies: [SavedCookie]
  }

  func begin(in directory: URL) throws {
    let (mine, owner) = (SettingsDirectory.owner(of: directory), storedOwner)
    if owner == mine { return }
    if let owner {
      if let other = try SettingsDirectory.existing(of: owner, beside: directory) { try flush(into: other) }
      try load(from: directory)
    } else {
      // The cookies have never been switched, so they belong to the active environment.
      let known = Set(cookies.map { [$0.name, $0.domain, $0.path] })
      for cookie in try saved(in: directory) where !known.contains([cookie.name, cookie.domain, cookie.path]) {
        set(cookie)
      }
      setOwner(mine)
    }
  }

  func flush(into directory: URL) throws {
    guard let directory = try SettingsDirectory.place(of: storedOwner, insteadOf: directory) else { return }
    let contents = Contents(cookies: cookies.map(SavedCookie.init))
    try SettingsDirectory.write(Contents.format.encode(contents), to: file(in: directory), of: name)
  }

  func load(from directory: URL) throws {
    let new = try saved(in: directory)
    // Foundation on Linux writes its file after each of these steps, and the process may end at any of them.
    setOwner(SettingsDirectory.unowned)
    for cookie in storage.cookies ?? [] where !isOwnerMark(cookie) { storage.deleteCookie(cookie) }
    for cookie in new { set(cookie) }
    setOwner(SettingsDirectory.owner(of: directory))
  }

  func resume(in directory: URL) throws {
    if let owner = storedOwner, owner != SettingsDirectory.owner(of: directory) { try load(from: directory) }
  }

  private func saved(in directory: URL) throws -> [SavedCookie] {
    let url = file(in: directory)
    guard let data = try SettingsDirectory.contents(of: url) else { return [] }
    return try translating(Contents.format.decode(data).cookies) { (error: any Error) in
      AppContainerError(undecodable: url, error)
    }
  }

  private func file(in directory: URL) -> URL {
    directory.appending(path: fileName, directoryHint: .notDirectory)
  }

  // MARK: The storage

  private var cookies: [HTTPCookie] { (storage.cookies ?? []).filter { $0.domain != Self.ownerHost } }

  private func set(_ cookie: SavedCookie) {
    guard cookie.expires.map({ $0 > Date() }) ?? true, let cookie = cookie.cookie, !isForged(cookie) else { return }
    storage.setCookie(cookie)
  }

  private func isOwnerMark(_ cookie: HTTPCookie) -> Bool {
    cookie.domain == Self.ownerHost && cookie.name == Self.ownerName && cookie.path == "/"
  }

  /// Returns whether a cookie in a file, which may come from an untrusted archive, could be mistaken for the owner's
  /// mark.
  private func isForged(_ cookie: HTTPCookie) -> Bool {
    // Foundation on Linux identifies a cookie by this string.
    let identity = cookie.domain + cookie.path + cookie.name
    return cookie.domain == Self.ownerHost || identity == Self.ownerHost + "/" + Self.ownerName
  }

  private var storedOwner: String? { (storage.cookies ?? []).first(where: isOwnerMark)?.value }

  private func setOwner(_ owner: String) {
    let properties: [HTTPCookiePropertyKey: Any] = [
      .name: Self.ownerName, .value: owner, .domain: Self.ownerHost, .path: "/", .secure: "TRUE",
      .expires: Date.distantFuture,
    ]
    if let cookie = HTTPCookie(properties: properties) { storage.setCookie(cookie) }
  }
}

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

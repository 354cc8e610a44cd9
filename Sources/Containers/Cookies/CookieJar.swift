public import AppGroups
public import Foundation
public import Signals

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// An observable file of cookies, for one environment, shared between processes.
///
/// An app has one `HTTPCookieStorage`, and on Linux that storage loses `Secure`, `HttpOnly` and `Max-Age` when it saves
/// cookies. A jar keeps all attributes, sends each cookie only where it belongs, and removes it when it expires. A jar
/// that is opened in the scope of an ``AppContainer`` follows each switch, so cookies of one environment are never
/// visible in another.
///
/// ```swift
/// import Containers
/// import Foundation
///
/// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let app = try AppContainer(home: home)
/// let jar = try CookieJar(scope: app.scope)
/// guard let url = URL(string: "https://www.example.com/account") else { exit(1) }
/// try jar.setCookies(["session=42; Path=/; Secure; HttpOnly; Max-Age=3600"], from: url)
/// print(jar.header(for: url) ?? "none")  // Prints "session=42"
///
/// try app.activate(app.create(name: "Second account"))
/// print(jar.header(for: url) ?? "none")  // Prints "none"
/// try FileManager.default.removeItem(at: home)
/// ```
///
/// - **File.** Only the owner can read the file. Each change replaces it as a whole, so no process sees a part of a
///   change, and changes by several processes are never lost.
/// - **Threads.** All methods may be called from any thread. Reading never waits. A change waits while another process
///   makes one.
/// - **Limits.** A jar keeps at most 180 cookies of a domain and 3,000 cookies in all. Beyond that it removes expired
///   cookies, then the oldest without `Secure`, and then the oldest. So an unencrypted response never evicts a secure
///   cookie. A jar does not shorten the lifetime that a server has chosen.
/// - **Rules.** Those of RFC 6265bis, without a list of public suffixes. As in browsers, a server on this machine
///   (`localhost`, `127.0.0.1`, `::1`) may exchange secure cookies without encryption.
public final class CookieJar: Sendable {
  /// All cookies in the order in which they were first set; each change removes those that have expired.
  public let cookies: Property<[Cookie]>

  /// The relation of ``cookies`` to the file: current, missing, or stale for a reason.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// The errors that keep ``cookies`` from following the file.
  ///
  /// Errors that a call throws are not repeated here.
  public var failures: some Signal<AppGroupsFileError, Never> { file.failures }

  private let file: AppGroupsFile<[Cookie]>
  private let now: @Sendable () -> Date

  /// The largest numbers of cookies, of one domain and in all.
  private static let limits = (domain: 180, total: 3000)

  /// Opens the jar of the active environment, and follows each switch.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - scope: The scope of an ``AppContainer``.
  ///   - now: Returns the current date.
  /// - Throws: `AppGroupsFileError` if the file cannot be created or observed.
  public convenience init(
    name: String = "cookies.json", scope: Scope, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(AppGroupsFileError) {
    try self.init(AppGroupsFile(name: name, initialValue: [], scope: scope), now)
  }

  /// Opens a jar of a group, which several apps share.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - container: The group.
  ///   - now: Returns the current date.
  /// - Throws: `AppGroupsFileError` if the file cannot be created or observed.
  public convenience init(
    name: String = "cookies.json", container: AppGroupsContainer, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(AppGroupsFileError) {
    try self.init(AppGroupsFile(name: name, initialValue: [], container: container), now)
  }

  private init(_ file: AppGroupsFile<[Cookie]>, _ now: @escaping @Sendable () -> Date) {
    self.file = file
    self.now = now
    cookies = file.property
    status = file.status
  }

  // MARK: Sending

  /// Returns the cookies to send with a request.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - isSameSite: Pass `false` if another site started the request. No site starts the requests of an app.
  ///   - isNavigation: Pass `true` if a user navigates from another site to this one with the request.
  /// - Returns: The cookies. Cookies with longer paths come first, then cookies that were set earlier.
  public func cookies(for url: URL, isSameSite: Bool = true, isNavigation: Bool = false) -> [Cookie] {
    guard let target = CookieTarget(url) else { return [] }
    let date = now()
    let found = file.value.filter { cookie in
      guard !cookie.isOver(at: date), cookie.matches(target), cookie.isWellFormed else { return false }
      return switch cookie.sameSite {
      case .strict: isSameSite
      case .lax: isSameSite || isNavigation
      case .none: true
      }
    }
    return found.sorted { ($1.path.utf8.count, $0.createdAt) < ($0.path.utf8.count, $1.createdAt) }
  }

  /// Returns the value of the `Cookie` header of a request; see ``cookies(for:isSameSite:isNavigation:)``.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - isSameSite: Pass `false` if another site started the request. No site starts the requests of an app.
  ///   - isNavigation: Pass `true` if a user navigates from another site to this one with the request.
  /// - Returns: The value, or `nil` if the request has no cookies.
  public func header(for url: URL, isSameSite: Bool = true, isNavigation: Bool = false) -> String? {
    let pairs = cookies(for: url, isSameSite: isSameSite, isNavigation: isNavigation).map { cookie in
      cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
    }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  // MARK: Receiving

  /// Sets, replaces and removes cookies as a server's response asks.
  ///
  /// - Parameters:
  ///   - headers: The values of the `Set-Cookie` headers of the response, each with one cookie.
  ///   - url: The URL of the response.
  /// - Returns: The accepted cookies. Invalid cookies, and cookies that the server may not set, are left out.
  /// - Throws: `AppGroupsFileError` if the file cannot be written; then nothing has changed.
  @discardableResult
  public func setCookies(_ headers: [String], from url: URL) throws(AppGroupsFileError) -> [Cookie] {
    let (date, target) = (now(), CookieTarget(url))
    let cookies = headers.compactMap { Cookie(header: $0, from: url, at: date) }
    guard !cookies.isEmpty else { return [] }
    return try file.change { kept in
      kept.removeAll { $0.isOver(at: date) }
      // An unencrypted response neither replaces a secure cookie nor sets one that would be sent in its place.
      let taken = cookies.filter { cookie in target?.isTrusted == true || !kept.contains(where: cookie.overlays) }
      for cookie in taken { Self.put(cookie, into: &kept) }
      Self.trim(&kept, at: date)
      return taken
    }
  }

  /// Sets, replaces and removes cookies as the response of a `URLSession` asks.
  ///
  /// A `URLSession` joins several `Set-Cookie` headers with commas. A comma separates two of them if a name and an
  /// equals sign follow it; so the value of a cookie must not contain such a sequence.
  ///
  /// - Parameter response: The response.
  /// - Returns: The accepted cookies. Invalid cookies, and cookies that the server may not set, are left out.
  /// - Throws: `AppGroupsFileError` if the file cannot be written; then nothing has changed.
  @discardableResult
  public func setCookies(from response: HTTPURLResponse) throws(AppGroupsFileError) -> [Cookie] {
    guard let url = response.url, let joined = response.value(forHTTPHeaderField: "Set-Cookie") else { return [] }
    return try setCookies(Cookie.headers(joined: joined), from: url)
  }

  /// Sets a cookie, and replaces one with the same name, domain and path.
  ///
  /// An expired cookie only removes that one.
  ///
  /// - Parameter cookie: The cookie.
  /// - Throws: `AppGroupsFileError` if the file cannot be written; then nothing has changed.
  public func set(_ cookie: Cookie) throws(AppGroupsFileError) {
    let date = now()
    try file.change { kept in
      Self.put(cookie, into: &kept)
      Self.trim(&kept, at: date)
    }
  }

  /// Removes cookies.
  ///
  /// - Parameter isUnwanted: Returns `true` for a cookie to remove.
  /// - Throws: `AppGroupsFileError` if the file cannot be written; then nothing has changed.
  public func remove(where isUnwanted: (Cookie) -> Bool) throws(AppGroupsFileError) {
    try file.change { $0.removeAll(where: isUnwanted) }
  }

  /// Removes all cookies.
  ///
  /// - Throws: `AppGroupsFileError` if the file cannot be written; then nothing has changed.
  public func removeAll() throws(AppGroupsFileError) { try remove { _ in true } }

  /// Removes expired cookies, which are no longer sent in any case.
  ///
  /// - Throws: `AppGroupsFileError` if the file cannot be written; then nothing has changed.
  public func removeExpired() throws(AppGroupsFileError) {
    let date = now()
    try remove { $0.isOver(at: date) }
  }

  private static func put(_ cookie: Cookie, into kept: inout [Cookie]) {
    var cookie = cookie
    if let index = kept.firstIndex(where: cookie.replaces) {
      cookie.createdAt = kept[index].createdAt
      kept[index] = cookie
    } else {
      kept.append(cookie)
    }
  }

  private static func trim(_ kept: inout [Cookie], at date: Date) {
    kept.removeAll { $0.isOver(at: date) }
    for (domain, cookies) in Dictionary(grouping: kept, by: \.domain) where cookies.count > limits.domain {
      evict(cookies.count - limits.domain, from: &kept) { $0.domain == domain }
    }
    if kept.count > limits.total { evict(kept.count - limits.total, from: &kept) { _ in true } }
  }

  /// Removes as many cookies that match: the oldest without `Secure`, and then the oldest.
  private static func evict(_ count: Int, from kept: inout [Cookie], where matches: (Cookie) -> Bool) {
    var surplus = count
    for removesSecure in [false, true] {
      kept.removeAll { cookie in
        guard surplus > 0, cookie.isSecure == removesSecure, matches(cookie) else { return false }
        surplus -= 1
        return true
      }
    }
  }
}

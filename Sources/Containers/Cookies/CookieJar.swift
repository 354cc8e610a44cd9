public import AppGroups
public import Foundation
public import Signals

/// Cookies in a file: of one environment, shared between processes, and observable.
///
/// `HTTPCookieStorage` is one for the whole app, and on Linux forgets `Secure`, `HttpOnly` and `Max-Age` of what it has
/// written down. A jar keeps all that servers say, sends cookies where they belong, and forgets them when they end. One
/// that is opened in the scope of an ``AppContainer`` follows each switch: cookies of one environment are never seen in
/// another.
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
/// Its file is for its owner's eyes only, and changed by whole replacements, so that no process ever sees half of it,
/// and of changes by several processes none is lost. Everything may be called from any thread; reading never waits, and
/// a change waits while another process makes one.
public final class CookieJar: Sendable {
  /// All cookies that have not ended when they were last looked through, in the order in which they were set first.
  public let cookies: Property<[Cookie]>

  /// Whether what is shown is what the file holds.
  public let status: Property<SharedValueStatus<AppGroupsFileError>>

  /// What keeps the cookies from following the content of the file, each time it does.
  ///
  /// Errors that a call throws are not repeated here.
  public var failures: some Signal<AppGroupsFileError, Never> { file.failures }

  private let file: AppGroupsFile<[Cookie]>
  private let now: @Sendable () -> Date

  /// How many cookies are kept, of one domain and at all; the oldest give way.
  private static let limits = (domain: 180, total: 3000)

  /// Opens the jar of the active environment, and follows each switch.
  ///
  /// - Parameters:
  ///   - name: The name of its file.
  ///   - scope: The scope of an ``AppContainer``.
  ///   - now: What time it is.
  /// - Throws: `AppGroupsFileError` if the file cannot be made or watched.
  public convenience init(
    name: String = "cookies.json", scope: Scope, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(AppGroupsFileError) {
    try self.init(AppGroupsFile(name: name, initialValue: [], scope: scope), now)
  }

  /// Opens a jar of a group, which several apps share.
  ///
  /// - Parameters:
  ///   - name: The name of its file.
  ///   - container: The group.
  ///   - now: What time it is.
  /// - Throws: `AppGroupsFileError` if the file cannot be made or watched.
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

  /// The cookies that go with a request.
  ///
  /// - Parameters:
  ///   - url: Where the request goes.
  ///   - isSameSite: Whether it begins at the same site, or at none, as those of an app do.
  ///   - isNavigation: Whether a user goes from another site to this one by it.
  /// - Returns: The cookies, those of longer paths first, then those that were set earlier.
  public func cookies(for url: URL, isSameSite: Bool = true, isNavigation: Bool = false) -> [Cookie] {
    guard let target = CookieTarget(url) else { return [] }
    let date = now()
    let found = file.value.filter { cookie in
      guard !cookie.isOver(at: date), cookie.matches(target) else { return false }
      return switch cookie.sameSite {
      case .strict: isSameSite
      case .lax: isSameSite || isNavigation
      case .none: true
      }
    }
    return found.sorted { ($1.path.utf8.count, $0.createdAt) < ($0.path.utf8.count, $1.createdAt) }
  }

  /// The value of the `Cookie` header of a request; see ``cookies(for:isSameSite:isNavigation:)``.
  ///
  /// - Parameters:
  ///   - url: Where the request goes.
  ///   - isSameSite: Whether it begins at the same site, or at none, as those of an app do.
  ///   - isNavigation: Whether a user goes from another site to this one by it.
  /// - Returns: The value, or `nil` if no cookies go with it.
  public func header(for url: URL, isSameSite: Bool = true, isNavigation: Bool = false) -> String? {
    let pairs = cookies(for: url, isSameSite: isSameSite, isNavigation: isNavigation).map { cookie in
      cookie.name.isEmpty ? cookie.value : "\(cookie.name)=\(cookie.value)"
    }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  // MARK: Receiving

  /// Takes what a server has sent: sets, replaces and removes cookies.
  ///
  /// - Parameters:
  ///   - headers: The values of the `Set-Cookie` headers of a response, each with one cookie.
  ///   - url: Where the response came from.
  /// - Returns: The cookies that were taken. Others are none, or the server may not set them.
  /// - Throws: `AppGroupsFileError` if they could not be written down; nothing has changed then.
  @discardableResult
  public func setCookies(_ headers: [String], from url: URL) throws(AppGroupsFileError) -> [Cookie] {
    let (date, target) = (now(), CookieTarget(url))
    let cookies = headers.compactMap { Cookie(header: $0, from: url, at: date) }
    guard !cookies.isEmpty else { return [] }
    return try file.change { kept in
      let taken = cookies.filter { cookie in
        // What came encrypted is not replaced by what did not.
        target?.isEncrypted == true
          || !kept.contains { $0.isSecure && $0.name == cookie.name && $0.domain == cookie.domain }
      }
      for cookie in taken { Self.put(cookie, into: &kept) }
      Self.trim(&kept, at: date)
      return taken
    }
  }

  /// Sets a cookie, in place of one of the same name, domain and path; one that has ended removes that.
  ///
  /// - Parameter cookie: The cookie.
  /// - Throws: `AppGroupsFileError` if it could not be written down; nothing has changed then.
  public func set(_ cookie: Cookie) throws(AppGroupsFileError) {
    let date = now()
    try file.change { kept in
      Self.put(cookie, into: &kept)
      Self.trim(&kept, at: date)
    }
  }

  /// Removes cookies.
  ///
  /// - Parameter isUnwanted: Says which.
  /// - Throws: `AppGroupsFileError` if that could not be written down; nothing has changed then.
  public func remove(where isUnwanted: (Cookie) -> Bool) throws(AppGroupsFileError) {
    try file.change { $0.removeAll(where: isUnwanted) }
  }

  /// Removes all cookies.
  ///
  /// - Throws: `AppGroupsFileError` if that could not be written down; nothing has changed then.
  public func removeAll() throws(AppGroupsFileError) { try remove { _ in true } }

  /// Removes what has ended, which is no longer sent anyway.
  ///
  /// - Throws: `AppGroupsFileError` if that could not be written down; nothing has changed then.
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
      var surplus = cookies.count - limits.domain
      kept.removeAll { cookie in
        guard cookie.domain == domain, surplus > 0 else { return false }
        surplus -= 1
        return true
      }
    }
    if kept.count > limits.total { kept.removeFirst(kept.count - limits.total) }
  }
}

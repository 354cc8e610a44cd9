import Foundation

@testable import Contexts

/// The reference for a session: a direct implementation of the design's state table.
struct ReferenceSession {
  /// The archived user, with the numbers of the login and the renewal.
  struct Disk: Equatable {
    var account: Account
    var session: Int
    var generation: Int
  }

  enum Doing: Equatable {
    case nothing
    case login(request: Int)
    case refresh(request: Int, again: Bool)
    case logout(request: Int)
  }

  var state = AuthState.restoring
  var doing = Doing.nothing
  /// The session that is shown, which was archived before.
  var shown: Disk?
  var disk: Disk?
  var sessions = 0
  var generations = 0
  /// The number of requests to the server.
  var requests = 0
  var now = Date.beginning
  var failures = 0
  var retryAt: Date?
  var refreshAt: Date?
  /// A renewed account that could not be archived, and the session on which it is based.
  var unwritten: (account: Account, base: Disk)?
  /// The session that the server was last asked to renew.
  var base: Disk?
  /// The sessions that the server was asked to renew, by the numbers of the requests.
  var bases: [Int: Disk] = [:]
  /// The session that was left by a logout that could not be archived, until this process archives another one.
  var left: Int?
  /// A renewed account of the session that was left, which could not be archived, and the date of the next attempt.
  var late: (account: Account, base: Disk, date: Date)?
  /// The number of attempts to archive that account that have failed in a row.
  var lateFailures = 0
  /// A Boolean value that indicates whether another process has written changes that this one has not read.
  var hasNews = false
  var isFull = false
  var trusts: Bool? = false

  var activity: AuthActivity {
    switch doing {
    case .nothing: .idle
    case .login: .authenticating
    case .refresh: .refreshing
    case .logout: .deauthenticating
    }
  }

  private mutating func request() -> Int {
    requests += 1
    return requests - 1
  }

  private func isOver(_ account: Account) -> Bool { account.expiration.map { $0 <= now } ?? false }

  // MARK: The table

  /// Starts a process.
  mutating func restore() {
    (state, doing, failures, retryAt, refreshAt, unwritten) = (.unauthenticated, .nothing, 0, nil, nil, nil)
    (shown, hasNews, left, late, lateFailures, bases) = (disk, false, nil, nil, 0, [:])
    guard let disk else { return }
    state = .presession
    decide(disk)
  }

  private mutating func decide(_ session: Disk) {
    if trusts != true || isOver(session.account) { return refresh() }
    if state == .presession {
      state = .authenticated
      arm()
    }
  }

  private mutating func arm() {
    guard let expiration = shown?.account.expiration else { return refreshAt = nil }
    refreshAt = expiration - max(0, min(60, expiration.timeIntervalSince(now) / 5))
  }

  private mutating func take(_ session: Disk) {
    (shown, failures, retryAt, refreshAt, unwritten) = (session, 0, nil, nil, nil)
    state = isOver(session.account) ? .presession : .authenticated
    if state == .authenticated { arm() } else { refreshAt = now }
  }

  private mutating func forget() {
    (shown, failures, retryAt, refreshAt, unwritten) = (nil, 0, nil, nil, nil)
    (state, doing) = (.unauthenticated, .nothing)
  }

  mutating func login() {
    if case .login = doing { return }
    if state == .unauthenticated { doing = .login(request: request()) }
  }

  mutating func start(_ account: Account, replacing: Bool) {
    guard shown == nil || replacing else { return }
    begin(account)
  }

  private mutating func begin(_ account: Account) {
    if isFull { return }
    archive(account, isLogin: true)
    doing = .nothing
    left = nil
    forgetLate()
    guard let disk else { return }
    take(disk)
    if state == .presession { refresh() }
  }

  private mutating func archive(_ account: Account, isLogin: Bool) {
    if isLogin { sessions += 1 }
    generations += 1
    disk = Disk(account: account, session: sessions, generation: generations)
    hasNews = false
  }

  mutating func refresh(force: Bool = false) {
    guard let shown else { return }
    switch doing {
    case .login, .logout: return
    case .refresh(let request, _): if force { doing = .refresh(request: request, again: true) }
    case .nothing:
      (retryAt, refreshAt) = (nil, nil)
      if let unwritten { return renew(unwritten.account, madeOf: unwritten.base, of: shown) }
      base = shown
      let number = request()
      bases[number] = shown
      doing = .refresh(request: number, again: false)
    }
  }

  mutating func valid() {
    if state == .authenticated, let shown, !isOver(shown.account) { return }
    refresh()
  }

  mutating func logout() {
    if case .login = doing { return forget() }
    guard let shown else { return }
    guard isCurrent(shown) else { return give(way: ()) }
    let kept = unwritten
    if isFull {
      left = shown.session
    } else {
      sessions += 1
      (disk, hasNews, left) = (nil, false, nil)
    }
    forget()
    doing = .logout(request: request())
    if isFull, let kept { archiveLate(kept.account, madeOf: kept.base) }
  }

  mutating func update(name: String) {
    guard let shown else { return }
    guard isCurrent(shown), var new = disk else { return give(way: ()) }
    if isFull { return }
    new.account.name = name
    (disk, hasNews, left) = (new, false, nil)
    follow(new)
  }

  private func isCurrent(_ session: Disk) -> Bool { disk?.session == session.session }

  /// Adopts the archived session, because it is a different one.
  private mutating func give(way: Void) {
    (doing, hasNews) = (.nothing, false)
    guard let disk else { return forget() }
    take(disk)
    if state == .presession { refresh() }
  }

  // MARK: Answers

  mutating func answerLogin(_ request: Int, _ account: Account?) {
    guard doing == .login(request: request) else { return }
    guard let account, !isFull else { return doing = .nothing }
    begin(account)
  }

  mutating func answerLogout(_ request: Int) {
    if doing == .logout(request: request) { doing = .nothing }
  }

  enum Renewal { case account(Account), failure, rejection }

  mutating func answerRefresh(_ request: Int, _ renewal: Renewal) {
    guard case .refresh(request, let again) = doing, let shown else { return answerLate(request, renewal) }
    doing = .nothing
    switch renewal {
    case .account(let account) where account.id == shown.account.id:
      renew(account, madeOf: base ?? shown, of: shown, again: again)
    case .failure: fail(again: again)
    default:
      guard isCurrent(shown) else { return give(way: ()) }
      if isSuperseded(base ?? shown) { return adopt(again: again) }
      if isFull {
        left = shown.session
        return forget()
      }
      sessions += 1
      (disk, hasNews, left) = (nil, false, nil)
      forget()
    }
  }

  /// Handles an answer for a session that is no longer shown.
  ///
  /// It counts if the archive still has the session, because the logout could not be archived.
  private mutating func answerLate(_ request: Int, _ renewal: Renewal) {
    guard case .account(let account) = renewal, let base = bases[request], base.session == left else { return }
    archiveLate(account, madeOf: base)
  }

  private mutating func archiveLate(_ account: Account, madeOf base: Disk) {
    if let old = disk, (old.session, old.generation, old.account.id) == (base.session, base.generation, account.id) {
      if isFull {
        lateFailures += 1
        late = (account, base, now + pause(after: lateFailures))
        return
      }
      generations += 1
      disk = Disk(
        account: join(account, base.account, old.account), session: old.session, generation: generations)
    }
    forgetLate()
    look()
  }

  private mutating func forgetLate() {
    (late, lateFailures) = (nil, 0)
  }

  private mutating func renew(_ account: Account, madeOf base: Disk, of session: Disk, again: Bool = false) {
    guard isCurrent(session), let archived = disk?.account else { return give(way: ()) }
    if isSuperseded(base) { return adopt(again: again) }
    if isFull {
      unwritten = (account, base)
      return fail(again: again)
    }
    archive(join(account, base.account, archived), isLogin: false)
    left = nil
    adopt(again: again)
  }

  /// Returns `true` if another process has renewed the session in between.
  private func isSuperseded(_ base: Disk) -> Bool { disk?.generation != base.generation }

  /// Adopts the archived session.
  private mutating func adopt(again: Bool) {
    hasNews = false
    guard let disk else { return }
    let before = failures
    take(disk)
    if state == .presession {
      failures = before
      later()
    }
    if again { refresh() }
  }

  /// Merges the fields: the server's changes win, and fields it left unchanged keep the values of other writers.
  private func join(_ mine: Account, _ base: Account, _ theirs: Account) -> Account {
    Account(
      id: mine.id, name: mine.name == base.name ? theirs.name : mine.name,
      token: mine.token == base.token ? theirs.token : mine.token,
      expiration: mine.expiration == base.expiration ? theirs.expiration : mine.expiration)
  }

  private mutating func fail(again: Bool) {
    if let shown, isOver(shown.account) { state = .presession }
    later()
    if again { refresh() }
  }

  private mutating func later() {
    failures += 1
    refreshAt = nil
    retryAt = now + pause(after: failures)
  }

  private func pause(after failures: Int) -> TimeInterval { min(60, Double(1 << min(failures - 1, 10))) }

  // MARK: Time and other processes

  mutating func advance(to end: Date) {
    while let date = next, date <= end {
      now = max(now, date)
      wake()
    }
    now = end
  }

  private var next: Date? {
    guard let shown else { return late?.date }
    return [retryAt, refreshAt, state == .authenticated ? shown.account.expiration : nil].compactMap { $0 }.min()
  }

  mutating func wake(resuming: Bool = false) {
    guard let shown else {
      if let late, resuming || late.date <= now { archiveLate(late.account, madeOf: late.base) }
      return
    }
    if state == .authenticated, isOver(shown.account) {
      state = .presession
      if retryAt == nil { return refresh() }
    }
    guard doing == .nothing else { return }
    if retryAt.map({ $0 <= now || resuming }) ?? (resuming && state == .presession) { return refresh() }
    if let date = refreshAt, date <= now {
      refreshAt = nil
      decide(shown)
    }
  }

  /// Simulates a renewal by another process.
  mutating func renewElsewhere(_ account: Account) {
    generations += 1
    disk = disk.map { Disk(account: account, session: $0.session, generation: generations) }
    hasNews = true
  }

  mutating func logoutElsewhere() {
    sessions += 1
    (disk, hasNews) = (nil, true)
  }

  mutating func loginElsewhere(_ account: Account) {
    archive(account, isLogin: true)
    hasNews = true
  }

  /// Notifies this process of changes to the archive.
  mutating func look() {
    guard hasNews else { return }
    hasNews = false
    guard let disk else {
      forgetLate()
      if shown != nil { forget() }
      return
    }
    if shown == nil, disk.session == left { return }
    if let shown, shown.session == disk.session { return follow(disk) }
    forgetLate()
    give(way: ())
  }

  private mutating func follow(_ new: Disk) {
    var isRefreshing = false
    if case .refresh = doing { isRefreshing = true }
    if new.generation > (shown?.generation ?? 0), !isRefreshing { return take(new) }
    shown = new
    guard state == .authenticated else { return }
    if isOver(new.account) { state = .presession }
    if isRefreshing || retryAt != nil { return }
    if state == .presession { refreshAt = now } else { arm() }
  }
}

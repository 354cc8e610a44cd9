import Dispatch
import FileSignals
import Foundation
import Signals

/// Finds the current directory of a log: the directory at its path, or in a scope, the directory in the current
/// contents.
///
/// In a scope, it takes part in switches as follows:
///
/// ```
///   hold      an append in progress ends, and later ones wait
///   prepare   the directory of the new contents is opened, and created if it is missing
///   resume    appends continue in the new directory
/// ```
///
/// A process that switches does not wait for the appends of other processes. An append that meets such a switch waits
/// until its own process has followed the switch.
final class LogLocation: Sendable {
  let url: URL
  let scope: Scope?
  let policy: ScopePolicy
  private let container: AppGroupsContainer
  private let name: String

  /// The directory of a log without a scope.
  private let fixed: LogPlace?

  /// Held during an append, and while the contents are switched.
  private let turn = OwnedLock()

  private struct State {
    var place: Result<LogPlace, AppGroupsLogError>
    var membership: SignalSubscription?
  }

  private let state: Guarded<State>

  /// Creates the location of a log that always has the same directory.
  init(_ place: LogPlace) {
    (url, container, name) = (place.url, place.container, place.name)
    (scope, policy) = (nil, .follows)
    fixed = place
    state = Guarded(State(place: .success(place)))
  }

  /// Opens the directory of a log in a root whose contents may be switched, and creates it if it does not exist.
  init(name: String, scope: Scope, policy: ScopePolicy) throws(AppGroupsLogError) {
    self.name = name
    self.scope = scope
    self.policy = policy
    fixed = nil
    container = try translating(
      AppGroupsContainer(directory: scope.root), by: AppGroupsLogError.unusableContainer)
    url = try LogPlace.url(of: name, in: container)
    state = Guarded(State(place: .failure(.inaccessible(.notFound(url)))))
    // Enrolled before the directory is opened, so that no later switch is missed.
    let membership = scope.enrol(self)
    state.withLock { $0.membership = membership }
    _ = try open(isMaking: true)
  }

  // MARK: The directory

  /// The current directory.
  var place: LogPlace {
    get throws(AppGroupsLogError) {
      if let fixed { return fixed }
      return try state.withLock { $0.place }.get()
    }
  }

  /// A Boolean value that indicates whether a switch has closed the log.
  var isClosed: Bool {
    if case .failure(let error) = state.withLock({ $0.place }) { return error.isAboutClosing }
    return false
  }

  /// The number of the current contents, or `nil` if they have no directory for the log.
  var switchCount: Int? {
    if case .success(let place) = state.withLock({ $0.place }) { return place.switchCount }
    return nil
  }

  /// The current directory, for reading.
  ///
  /// If the directory was removed, this looks for a new one, but does not create it.
  var readablePlace: LogPlace {
    get throws(AppGroupsLogError) {
      if let fixed { return fixed }
      if case .success(let place) = state.withLock({ $0.place }), try place.exists { return place }
      return try open(isMaking: false)
    }
  }

  /// A Boolean value that indicates whether something may exist at the log's path.
  ///
  /// It is `false` only if nothing exists there.
  var isPerhapsThere: Bool {
    tolerating(try FileStatus(path: url.path, followsLinks: false) != nil, else: true)
  }

  /// Creates an observer of the log's directory, and the directory if it does not exist.
  func makeChanges(on queue: DispatchQueue) throws(AppGroupsLogError) -> PathChanges {
    if let fixed {
      try fixed.make()
      return try Self.changes(of: fixed, queue)
    }
    // While the observer starts, no directory appears or disappears.
    return try steadily { () throws(AppGroupsLogError) in try Self.changes(of: current(isMaking: true), queue) }
  }

  private static func changes(of place: LogPlace, _ queue: DispatchQueue) throws(AppGroupsLogError) -> PathChanges {
    try translating(PathChanges(contentsOf: place.url, queue: queue), by: AppGroupsLogError.unobservable)
  }

  /// Runs a closure with the current directory, during which this process does not switch the contents.
  ///
  /// - Parameter body: Receives the directory. If the log's path leads elsewhere and `isFinal` is `false`, it may
  ///   return `nil` to be called again after the location has settled.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or the reason why there is no directory.
  func withPlace<Result>(
    _ body: (_ place: LogPlace, _ isFinal: Bool) throws(AppGroupsLogError) -> Result?
  ) throws(AppGroupsLogError) -> Result {
    if fixed == nil, !turn.isHeldByThisThread {
      // Other processes may switch the contents one after the other.
      let result = try Backoff.constant(.zero).repeating(within: DirectoryRules.patience(for: url)) {
        () throws(AppGroupsLogError) -> Result?? in
        if let result = try attempt(false, body) { return result }
        return try settle() ? nil : .some(nil)
      }
      if let result = result ?? nil { return result }
    }
    if let result = try attempt(true, body) { return result }
    stop(because: "The final attempt of a log operation returned no result")
  }

  private func attempt<Result>(
    _ isFinal: Bool, _ body: (LogPlace, Bool) throws(AppGroupsLogError) -> Result?
  ) throws(AppGroupsLogError) -> Result? {
    if let fixed { return try body(fixed, isFinal) }
    // The thread that switches already holds the turn.
    if turn.isHeldByThisThread { return try body(place, isFinal) }
    return try turn.withLock { () throws(AppGroupsLogError) in
      let known = state.withLock { $0.place }
      if case .failure(let error) = known, !isFinal, !error.isAboutClosing { return nil }
      return try body(known.get(), isFinal)
    }
  }

  /// Ensures that the log's path leads to the current directory.
  ///
  /// - Returns: `false` if the thread cannot wait, because a switch may be waiting for it.
  private func settle() throws(AppGroupsLogError) -> Bool {
    guard let scope, !scope.isDelayedByThisThread else { return false }
    guard scope.isFollowed else { return scope.waitUntilFollowed() }
    _ = try open(isMaking: true)
    return true
  }

  /// Opens the directory at the log's path, unless it is open.
  private func open(isMaking: Bool) throws(AppGroupsLogError) -> LogPlace {
    try steadily { () throws(AppGroupsLogError) in try current(isMaking: isMaking) }
  }

  /// Returns the directory at the log's path.
  ///
  /// Call this while the contents are not switched.
  private func current(isMaking: Bool) throws(AppGroupsLogError) -> LogPlace {
    var count = scope?.switchCount.value ?? 0
    switch state.withLock({ $0.place }) {
    case .success(let place):
      if try place.isAtPath { return place }
      count = place.switchCount
    case .failure(let error):
      if error.isAboutClosing { throw error }
    }
    let place = try LogPlace(opening: name, in: container, switchCount: count, isMaking: isMaking)
    replace(.success(place))
    return place
  }

  private func steadily<Result>(
    _ body: () throws(AppGroupsLogError) -> Result
  ) throws(AppGroupsLogError) -> Result {
    guard let scope else { return try body() }
    // A switch by another process is followed first.
    return try scope.steadily(
      orThrow: { [url] in
        if case .suspended = $0 as? DurableFileError { return .suspended(url, operation: "open") }
        return .unusableContainer(.unusableDirectory(scope.root, reason: "\($0)"))
      }, body)
  }

  private func replace(_ place: Result<LogPlace, AppGroupsLogError>) {
    // The old directory is closed after the lock is released.
    state.replace { exchange(&$0.place, with: place) }
  }
}

extension LogLocation: ScopeMember {
  var switchStage: ScopeStage { .logs }

  @available(*, noasync)
  func holdForSwitch(within patience: Duration?) -> Bool { turn.lock(within: patience) }

  func letGo() {
    if turn.isHeldByThisThread { turn.unlock() }
  }

  /// Opens the directory in the new contents.
  ///
  /// Appends continue when everything shows the new contents. Otherwise, an event could be appended to them by a thread
  /// that finds the old ones before and after the append.
  func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    if outcome == .switched, let scope { openNewContents(of: scope) }
    return PreparedSwitch(resume: { [self] in letGo() })
  }

  private func openNewContents(of scope: Scope) {
    if !turn.isHeldByThisThread { turn.lock() }
    switch state.withLock({ $0.place }) {
    case .failure(let error) where error.isAboutClosing: return
    // A directory that returned before this process noticed that it was away belongs to new contents nevertheless.
    case .success(let place) where isExcluded(place, from: scope): return
    default: break
    }
    guard policy == .follows else { return replace(.failure(.closedBySwitch(url))) }
    let next = Result { () throws(AppGroupsLogError) in
      try LogPlace(opening: name, in: container, switchCount: scope.switchCount.value + 1, isMaking: true)
    }
    replace(next)
  }

  /// Returns a Boolean value that indicates whether a directory stays at its path when the contents are switched.
  private func isExcluded(_ place: LogPlace, from scope: Scope) -> Bool {
    // Opening the directory again reports the error.
    tolerating(else: false) {
      guard try place.isAtPath else { return false }
      return scope.excludes(LogPlace.pathInRoot(of: name))
    }
  }
}

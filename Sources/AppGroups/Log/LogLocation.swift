import Dispatch
import FileSignals
import Foundation
import Signals

/// Finds the directory that a log has at the moment: always the one at its path, or in a scope that of the contents
/// that are shown.
///
/// In a scope, it takes part in swaps as follows:
///
/// ```
///   hold      the append under way ends, and later ones wait
///   prepare   the directory of the new contents is opened, and made if need be
///   publish   appends go on, in the new directory
/// ```
///
/// Processes that swap do not wait for the appends of this one. An append that meets such a swap waits until this
/// process has followed it.
final class LogLocation: Sendable {
  let url: URL
  let scope: Scope?
  let policy: ScopePolicy
  private let container: AppGroupsContainer
  private let name: String

  /// The directory of a log without a scope.
  private let fixed: LogPlace?

  /// Held while something is appended, and while the contents are swapped.
  private let turn = OwnedLock()

  private struct State {
    var place: Result<LogPlace, AppGroupsLogError>
    var membership: SignalSubscription?
  }

  private let state: Guarded<State>

  /// Makes the location of a log that has one directory.
  init(_ place: LogPlace) {
    (url, container, name) = (place.url, place.container, place.name)
    (scope, policy) = (nil, .follows)
    fixed = place
    state = Guarded(State(place: .success(place)))
  }

  /// Opens the directory of a log in a root whose contents may be swapped, and makes it if there is none.
  init(name: String, scope: Scope, policy: ScopePolicy) throws(AppGroupsLogError) {
    self.name = name
    self.scope = scope
    self.policy = policy
    fixed = nil
    do {
      container = try AppGroupsContainer(directory: scope.root)
    } catch {
      throw .unusableContainer(error)
    }
    url = try LogPlace.url(of: name, in: container)
    state = Guarded(State(place: .failure(.inaccessible(.notFound(url)))))
    // Before the directory is opened: a swap after that must not be missed.
    let membership = scope.enrol(self)
    state.withLock { $0.membership = membership }
    _ = try open(isMaking: true)
  }

  // MARK: The directory

  /// The directory that counts now.
  var place: LogPlace {
    get throws(AppGroupsLogError) {
      if let fixed { return fixed }
      return try state.withLock { $0.place }.get()
    }
  }

  /// A Boolean value that indicates whether a swap has closed the log.
  var isClosed: Bool {
    if case .failure(let error) = state.withLock({ $0.place }) { return error.isAboutClosing }
    return false
  }

  /// The number of the contents that are shown, if they have a directory for the log.
  var swapCount: Int? {
    if case .success(let place) = state.withLock({ $0.place }) { return place.swapCount }
    return nil
  }

  /// The directory that counts now, to be read; one that somebody removed is looked for again, but not made.
  var readablePlace: LogPlace {
    get throws(AppGroupsLogError) {
      if let fixed { return fixed }
      if case .success(let place) = state.withLock({ $0.place }), place.exists { return place }
      return try open(isMaking: false)
    }
  }

  /// A Boolean value that indicates whether something is at the log's path.
  var isAnythingThere: Bool { FileStatus(path: url.path, followsLinks: false) != nil }

  /// Watches the log's directory, which is made if need be.
  func makeChanges(on queue: DispatchQueue) throws(AppGroupsLogError) -> PathChanges {
    guard scope != nil else { return try Self.changes(of: place.made(), queue) }
    // While the watch is armed, no directory comes or goes.
    return try steadily { () throws(AppGroupsLogError) in try Self.changes(of: current(isMaking: true), queue) }
  }

  private static func changes(of place: LogPlace, _ queue: DispatchQueue) throws(AppGroupsLogError) -> PathChanges {
    do {
      return try PathChanges(contentsOf: place.url, queue: queue)
    } catch {
      throw .unobservable(error)
    }
  }

  /// Runs a closure with the directory that counts, while this process does not swap the contents.
  ///
  /// - Parameter body: Called with the directory. If the log's path leads elsewhere, it may return `nil` to be called
  ///   again once that is settled, unless `isFinal`.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or the reason why there is no directory.
  func withPlace<Result>(
    _ body: (_ place: LogPlace, _ isFinal: Bool) throws(AppGroupsLogError) -> Result?
  ) throws(AppGroupsLogError) -> Result {
    var isFinal = fixed != nil || turn.isHeldByThisThread
    for round in 1... {
      if let result = try attempt(isFinal, body) { return result }
      isFinal = try !settle() || round == Scope.maximumFollowings
    }
    stop(because: "The last attempt at an append came to nothing")
  }

  private func attempt<Result>(
    _ isFinal: Bool, _ body: (LogPlace, Bool) throws(AppGroupsLogError) -> Result?
  ) throws(AppGroupsLogError) -> Result? {
    if let fixed { return try body(fixed, isFinal) }
    // The thread that swaps has the turn already.
    if turn.isHeldByThisThread { return try body(place, isFinal) }
    return try turn.withLock { () throws(AppGroupsLogError) in
      let known = state.withLock { $0.place }
      if case .failure(let error) = known, !isFinal, !error.isAboutClosing { return nil }
      return try body(known.get(), isFinal)
    }
  }

  /// Sees to it that the log's path leads to the directory that counts.
  ///
  /// - Returns: `false` if that cannot be waited for, because a swap may be waiting for this thread.
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

  /// The directory at the log's path; to be called while the contents are not swapped.
  private func current(isMaking: Bool) throws(AppGroupsLogError) -> LogPlace {
    var count = scope?.swapCount.value ?? 0
    switch state.withLock({ $0.place }) {
    case .success(let place):
      if place.isAtPath { return place }
      count = place.swapCount
    case .failure(let error):
      if error.isAboutClosing { throw error }
    }
    let place = try LogPlace(opening: name, in: container, swapCount: count, isMaking: isMaking)
    replace(.success(place))
    return place
  }

  private func steadily<Result>(
    _ body: () throws(AppGroupsLogError) -> Result
  ) throws(AppGroupsLogError) -> Result {
    guard let scope else { return try body() }
    do {
      // A swap by another process is followed first.
      return try scope.steadily(body)
    } catch let error as AppGroupsLogError {
      throw error
    } catch {
      throw .unusableContainer(.unusableDirectory(scope.root, reason: "\(error)"))
    }
  }

  private func replace(_ place: Result<LogPlace, AppGroupsLogError>) {
    // The old directory is closed with no lock held.
    state.replace { exchange(&$0.place, with: place) }
  }
}

extension LogLocation: ScopeMember {
  var swapStage: ScopeStage { .logs }

  @available(*, noasync)
  func holdForSwap() { turn.lock() }

  func prepareSwap(_ outcome: ScopeOutcome) {
    guard outcome == .swapped, let scope else { return }
    if !turn.isHeldByThisThread { turn.lock() }
    switch state.withLock({ $0.place }) {
    case .failure(let error) where error.isAboutClosing: return
    // A directory that is excluded from swaps stays.
    case .success(let place) where place.isAtPath: return
    default: break
    }
    guard policy == .follows else { return replace(.failure(.closedBySwap(url))) }
    let next = Result { () throws(AppGroupsLogError) in
      try LogPlace(opening: name, in: container, swapCount: scope.swapCount.value + 1, isMaking: true)
    }
    replace(next)
  }

  func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    if turn.isHeldByThisThread { turn.unlock() }
  }
}

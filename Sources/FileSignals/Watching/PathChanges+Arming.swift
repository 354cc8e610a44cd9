import Dispatch
import Foundation
import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// All of this happens on the queue, once `init` is over.
extension PathChanges {
  /// Watches what has to be watched now.
  ///
  /// - Returns: Whether that is other than before.
  func rearm(always: Bool) -> Bool {
    if !always, failure == nil, WatchPlan(path: path, target: target) == plan { return false }
    let old = plan
    arm()
    reportHealth()
    return always || plan != old
  }

  /// Arms, then looks whether the path still leads where it did; otherwise what happened meanwhile would never be seen.
  func arm() {
    for _ in 0..<1000 {
      let next = WatchPlan(path: path, target: target)
      failure = nil
      let armed = polling.isForced ? [] : watches(of: next)
      disarm()
      tokens = armed
      plan = next
      // A directory that vanished before it could be watched has changed the plan, too.
      if WatchPlan(path: path, target: target) == next {
        if case .automatic = polling { silentFileSystem = next.silentFileSystem }
        return choosePolling()
      }
    }
    failure = .system(operation: "keep up with changes of", path: path, errno: EAGAIN)
  }

  private func watches(of plan: WatchPlan) -> [WatchToken] {
    var armed: [WatchToken] = []
    do throws(FileObserverError) {
      let backend = try backend()
      for place in plan.places where place.path != "/" || place.depth != .itself {
        do throws(FileObserverError) {
          armed.append(try backend.add(WatchPoint(place, watch: self), opened: nil))
        } catch {
          // The directories above may be closed to us, and seldom change; an owner who moves one without telling goes
          // unnoticed. But for want of a watch we must not be blind to what we could see.
          if place.isEssential || !error.isPermission { failure = error }
        }
      }
    } catch {
      failure = error
    }
    return armed
  }

  private func disarm() {
    release(tokens)
    tokens = []
  }

  /// Lets go of everything, at the end.
  func end() {
    disarm()
    release(Array(innerTokens))
    innerTokens = []
    if pollReason != nil, let interval = polling.interval { PollBeat.every(interval).remove(ObjectIdentifier(self)) }
  }

  private func release(_ tokens: [WatchToken]) {
    guard !tokens.isEmpty else { return }
    do throws(FileObserverError) {
      let backend = try backend()
      for token in tokens { backend.remove(token) }
    } catch {
      // Without a backend there were no tokens.
    }
  }

  // MARK: Below the target

  /// Watches a directory below the target for the subscriber.
  ///
  /// - Parameters:
  ///   - inner: Its path from the target on.
  ///   - identity: Which directory it is.
  ///   - descriptor: The directory, opened.
  /// - Returns: What to stop it with; `nil` if it is not watched, and ``innerFailures`` says why, or polled.
  func watchInner(_ inner: String, _ identity: FileIdentity, opened descriptor: CInt) -> WatchToken? {
    guard !polling.isForced else { return nil }
    do throws(FileObserverError) {
      let place = WatchPlan.Place(path: "\(targetPath)/\(inner)", identity: identity, depth: .entries)
      let token = try backend().add(WatchPoint(place, inner: inner, watch: self), opened: descriptor)
      innerTokens.insert(token)
      return token
    } catch {
      innerFailures[ExactString(inner)] = error
      return nil
    }
  }

  /// Stops watching a directory below the target.
  func releaseInner(_ token: WatchToken) {
    innerTokens.remove(token)
    release([token])
  }

  /// Where the target is, free of symbolic links.
  var targetPath: String {
    if case .reached(let path) = plan.outcome { path } else { path }
  }

  // MARK: Polling

  /// Whether the subscriber is told to look from time to time.
  var isPolling: Bool { pollReason != nil }

  /// Begins or ends to poll, according to what is known now.
  private func choosePolling() {
    guard let interval = polling.interval else { return }
    let reason = reasonToPoll
    guard reason != pollReason else { return }
    let wasPolling = isPolling
    pollReason = reason
    if !wasPolling {
      PollBeat.every(interval).add(self)
    } else if !isPolling {
      PollBeat.every(interval).remove(ObjectIdentifier(self))
    }
  }

  private var reasonToPoll: WatchPolling.Reason? {
    if polling.isForced { return .requested }
    // What the file system does not tell remains when the limit is no longer reached.
    if let silentFileSystem { return .fileSystem(silentFileSystem) }
    if let failure, failure.isLimit { return .limit(failure) }
    return innerFailures.values.first { $0.isLimit }.map { .limit($0) }
  }

  // MARK: Health

  /// Says how well is seen, if that is news.
  func reportHealth() {
    choosePolling()
    let health = presentHealth
    if case .impaired = health { retryLater() } else { retries.reset() }
    if currentHealth.value != health { currentHealth.value = health }
  }

  private var presentHealth: WatchHealth {
    if let failure = lookFailures.min(by: { $0.key < $1.key })?.value { return .impaired(failure) }
    let failure = failure ?? innerFailures.min { $0.key < $1.key }?.value
    if let failure, !(isPolling && failure.isLimit) { return .impaired(failure) }
    switch plan.outcome {
    case .failed(ENOENT, let path), .failed(ENOTDIR, let path):
      return .waiting(for: URL(fileURLWithPath: path, isDirectory: true))
    case .failed(let errno, let path):
      return .impaired(FileObserverError(errno, "look at", path))
    case .reached:
      guard let pollReason, let interval = polling.interval else { return .active }
      return .polling(every: interval, because: pollReason)
    }
  }

  /// Tries again after a while; only for as long as something is wrong that no event tells the end of.
  private func retryLater() {
    guard !isRetrying, let pause = retries.next() else { return }
    isRetrying = true
    queue.async(after: pause) { [weak self] in
      guard let self else { return }
      isRetrying = false
      call(PathChange(events: [], isRearmed: rearm(always: true)))
      reportHealth()
    }
  }

  /// Why a plan leads to nowhere.
  static func error(of plan: WatchPlan) -> FileObserverError? {
    switch plan.outcome {
    case .reached: nil
    case .failed(let errno, let path): FileObserverError(errno, "look at", path)
    }
  }
}

extension WatchPlan {
  /// The type of the first file system on the way that can be changed without the system's knowledge, where it matters.
  var silentFileSystem: String? {
    for place in places where place.isEssential || !place.hinges.isEmpty {
      if let type = FileSystems.silentType(of: place.path) { return type }
    }
    return nil
  }
}

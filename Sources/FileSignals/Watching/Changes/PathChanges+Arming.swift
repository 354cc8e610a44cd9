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

/// Once `init` is over, all of this happens on the queue.
extension PathChanges {
  /// The directories that are watched now.
  var plan: WatchPlan { arming.withLock { $0.plan } }

  /// Arms for the first time.
  ///
  /// - Returns: The reason for which the path can be neither watched nor polled.
  func firstFailure(_ arming: inout Arming) -> FileObserverError? {
    arm(&arming)
    let error = Self.error(of: arming.plan)
    return arming.pollReason == nil ? arming.failure ?? error : error
  }

  /// Watches what has to be watched now.
  ///
  /// - Returns: Whether that is other than before.
  func rearm(always: Bool) -> Bool {
    let isOther: Bool? = arming.withLock { arming in
      if !always, arming.failure == nil, WatchPlan(path: path, target: target) == arming.plan { return nil }
      let old = arming.plan
      arm(&arming)
      return always || arming.plan != old
    }
    guard let isOther else { return false }
    reportHealth()
    return isOther
  }

  /// Arms, then looks whether the path still leads where it did; otherwise what happened meanwhile would never be seen.
  private func arm(_ arming: inout Arming) {
    for _ in 0..<1000 {
      let next = WatchPlan(path: path, target: target)
      arming.failure = nil
      let armed = polling.isForced ? [] : watches(of: next, &arming)
      release(arming.tokens)
      arming.tokens = armed
      arming.plan = next
      // A directory that vanished before it could be watched has changed the plan, too.
      if WatchPlan(path: path, target: target) == next {
        if case .automatic = polling { arming.silentFileSystem = next.silentFileSystem }
        return choosePolling(&arming)
      }
    }
    arming.failure = .system(operation: "keep up with changes of", path: path, errno: EAGAIN)
  }

  private func watches(of plan: WatchPlan, _ arming: inout Arming) -> [WatchToken] {
    var armed: [WatchToken] = []
    do throws(FileObserverError) {
      let backend = try backend()
      for place in plan.places where place.path != "/" || place.depth != .itself {
        do throws(FileObserverError) {
          armed.append(try backend.add(WatchPoint(place, watch: self), opened: nil))
        } catch {
          // The directories above may be closed to us, and seldom change; an owner who moves one without telling goes
          // unnoticed. But for want of a watch we must not be blind to what we could see.
          if place.isEssential || !error.isPermission { arming.failure = error }
        }
      }
    } catch {
      arming.failure = error
    }
    return armed
  }

  /// Lets go of everything, at the end.
  func end() {
    let isPolling = arming.withLock { arming in
      release(arming.tokens + arming.innerTokens)
      (arming.tokens, arming.innerTokens) = ([], [])
      return arming.pollReason != nil
    }
    if isPolling, let interval = polling.interval { PollBeat.every(interval).remove(ObjectIdentifier(self)) }
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
  /// - Returns: What to stop it with; `nil` if it is polled, or if watching failed, which the health reports.
  func watchInner(_ inner: String, _ identity: FileIdentity, opened descriptor: CInt) -> WatchToken? {
    guard !polling.isForced else { return nil }
    do throws(FileObserverError) {
      let place = WatchPlan.Place(path: "\(targetPath)/\(inner)", identity: identity, depth: .entries)
      let token = try backend().add(WatchPoint(place, inner: inner, watch: self), opened: descriptor)
      arming.withLock { _ = $0.innerTokens.insert(token) }
      return token
    } catch {
      arming.withLock { $0.innerFailures[ExactString(inner)] = error }
      return nil
    }
  }

  /// Stops watching a directory below the target.
  func releaseInner(_ token: WatchToken) {
    arming.withLock { _ = $0.innerTokens.remove(token) }
    release([token])
  }

  /// The path of the target, free of symbolic links.
  var targetPath: String { arming.withLock { $0.targetPath } ?? path }

  /// Takes note that the target or a directory below it cannot be listed.
  func fail(_ error: FileObserverError, at inner: ExactString) {
    arming.withLock { $0.lookFailures[inner] = error }
  }

  /// A Boolean value that indicates whether a directory could not be listed the last time.
  func hasFailed(at inner: ExactString) -> Bool {
    arming.withLock { $0.lookFailures[inner] != nil }
  }

  /// Forgets the failures of a directory.
  func clearFailures(at inner: ExactString) {
    arming.withLock { ($0.innerFailures[inner], $0.lookFailures[inner]) = (nil, nil) }
  }

  /// Forgets the failures of all directories.
  func clearFailures() {
    arming.withLock { ($0.innerFailures, $0.lookFailures) = ([:], [:]) }
  }

  // MARK: Polling

  /// A Boolean value that indicates whether the subscriber looks from time to time.
  var isPolling: Bool { arming.withLock { $0.pollReason != nil } }

  /// Begins or ends to poll, according to what is known now.
  private func choosePolling(_ arming: inout Arming) {
    guard let interval = polling.interval else { return }
    let reason = arming.reasonToPoll(polling)
    guard reason != arming.pollReason else { return }
    let wasPolling = arming.pollReason != nil
    arming.pollReason = reason
    if !wasPolling {
      PollBeat.every(interval).add(self)
    } else if reason == nil {
      PollBeat.every(interval).remove(ObjectIdentifier(self))
    }
  }

  // MARK: Health

  /// Reports the health if it has changed.
  func reportHealth() {
    let health = arming.withLock { arming in
      choosePolling(&arming)
      return arming.health(polling)
    }
    if case .impaired = health { retryLater() } else { retries.reset() }
    if currentHealth.value != health { currentHealth.value = health }
  }

  /// Tries again after a while; only for as long as something is wrong that no event tells the end of.
  private func retryLater() {
    retries.request { [weak self] in
      guard let self else { return }
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

import CLibrary
import Dispatch
import Foundation
import Signals
import Synchronization

/// After `init`, all of this runs on the queue.
extension PathChanges {
  /// The directories that are watched now.
  var plan: WatchPlan { arming.withLock { $0.plan } }

  /// Arms the watches for the first time.
  ///
  /// - Returns: The error, if the path can be neither watched nor polled.
  func firstFailure(_ arming: inout Arming) -> FileObserverError? {
    arm(&arming)
    let error = target == .journal ? nil : Self.error(of: arming.plan)
    return arming.pollReason == nil ? arming.failure ?? error : error
  }

  /// Updates the watches to the directories that the path leads through now.
  ///
  /// - Returns: `true` if the set of watches has changed.
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

  /// The longest time for which the watches are armed again because the path changes in the meantime.
  private static var armingPatience: Duration { .seconds(1) }

  /// Arms the watches, and then checks whether the path still leads to the same place.
  ///
  /// Otherwise a change in between would never be detected.
  private func arm(_ arming: inout Arming) {
    let isArmed = FileLock.waiting.repeating(within: Self.armingPatience) { () -> Bool? in
      let next = WatchPlan(path: path, target: target)
      arming.failure = nil
      let armed = polling.isForced ? [] : watches(of: next, &arming)
      release(arming.tokens)
      arming.tokens = armed
      arming.plan = next
      // A directory that vanished before it could be watched has changed the plan, too.
      if WatchPlan(path: path, target: target) == next {
        if case .automatic = polling { arming.silentFileSystem = next.silentFileSystem }
        choosePolling(&arming)
        return true
      }
      return nil
    }
    guard isArmed == nil else { return }
    // Another attempt follows later.
    arming.failure = .system(operation: "keep up with changes to", path: path, errno: EAGAIN)
  }

  private func watches(of plan: WatchPlan, _ arming: inout Arming) -> [WatchToken] {
    var armed: [WatchToken] = []
    do throws(FileObserverError) {
      let backend = try source.backend()
      for place in plan.places where place.path != "/" || place.depth != .itself {
        do throws(FileObserverError) {
          armed.append(try backend.add(WatchPoint(place, watch: self), opened: nil))
        } catch {
          // Directories further up may be closed to this process, and rarely change. Moving one of them is then not
          // detected. But running out of watches must not hide changes that could be detected.
          if place.isEssential || !error.isPermission { arming.failure = error }
        }
      }
    } catch {
      arming.failure = error
    }
    return armed
  }

  /// Ends all watches.
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
    // Without a backend there are no tokens.
    tolerating {
      let backend = try source.backend()
      for token in tokens { backend.remove(token) }
    }
  }

  // MARK: Below the target

  /// Watches a directory below the target for the subscriber.
  ///
  /// - Parameters:
  ///   - inner: The path relative to the target.
  ///   - identity: The identity of the directory.
  ///   - descriptor: The open directory.
  /// - Returns: The token that ends the watch. It is `nil` if the directory is polled, or if watching failed, which the
  ///   health reports.
  func watchInner(_ inner: String, _ identity: FileIdentity, opened descriptor: CInt) -> WatchToken? {
    guard !polling.isForced else { return nil }
    do throws(FileObserverError) {
      let place = WatchPlan.Place(path: "\(targetPath)/\(inner)", identity: identity, depth: .entries)
      let token = try source.backend().add(WatchPoint(place, inner: inner, watch: self), opened: descriptor)
      arming.withLock { _ = $0.innerTokens.insert(token) }
      return token
    } catch {
      arming.withLock { $0.innerFailures[ExactString(inner)] = error }
      return nil
    }
  }

  /// Ends the watch of a directory below the target.
  func releaseInner(_ token: WatchToken) {
    arming.withLock { _ = $0.innerTokens.remove(token) }
    release([token])
  }

  /// The path of the target, free of symbolic links.
  var targetPath: String { arming.withLock { $0.targetPath } ?? path }

  /// Records that the target or a directory below it cannot be listed.
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

  /// A Boolean value that indicates whether the subscriber polls.
  var isPolling: Bool { arming.withLock { $0.pollReason != nil } }

  /// Starts or stops polling, according to the current state.
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
    activity.store(health == .active, ordering: .relaxed)
    if currentHealth.value != health { currentHealth.value = health }
  }

  /// Tries again after a while, as long as there is a problem whose end no event reports.
  private func retryLater() {
    retries.request { [weak self] in
      guard let self else { return }
      call(PathChange(events: [], isRearmed: rearm(always: true)))
      reportHealth()
    }
  }

  /// Returns the error of a plan that leads nowhere.
  static func error(of plan: WatchPlan) -> FileObserverError? {
    switch plan.outcome {
    case .reached: nil
    case .failed(let errno, let path): FileObserverError(errno, "inspect", path)
    }
  }
}

extension WatchPlan {
  /// The type of the first file system along the path that other systems can change unnoticed, if that is relevant.
  var silentFileSystem: String? {
    for place in places where place.isEssential || !place.hinges.isEmpty {
      if let type = FileSystems.silentType(of: place.path) { return type }
    }
    return nil
  }
}

extension PathChanges {
  /// The current watches of a path, and the reasons for which it cannot be fully watched.
  struct Arming {
    var plan: WatchPlan
    var tokens: [WatchToken] = []
    /// The watches of directories below the target, which belong to the subscriber.
    var innerTokens: Set<WatchToken> = []

    /// The reason for which the path could not be fully watched at the last arming.
    var failure: FileObserverError?
    /// The reasons for which directories below the target cannot be watched, by their paths relative to the target.
    var innerFailures: [ExactString: FileObserverError] = [:]
    /// The reasons for which the target or directories below it cannot be listed, for which polling cannot compensate.
    var lookFailures: [ExactString: FileObserverError] = [:]
    /// The type of the file system, if other systems can change it without notifying this one.
    var silentFileSystem: String?
    /// The reason for polling, if the subscriber polls.
    var pollReason: WatchPolling.Reason?

    init(_ plan: WatchPlan) {
      self.plan = plan
    }

    /// The path of the target, free of symbolic links, or `nil` if it does not exist.
    var targetPath: String? {
      if case .reached(let path) = plan.outcome { path } else { nil }
    }

    /// Returns the reason to poll, if there is one.
    func reasonToPoll(_ polling: WatchPolling) -> WatchPolling.Reason? {
      if polling.isForced { return .requested }
      // The file system stays silent even if the limit is no longer reached.
      if let silentFileSystem { return .fileSystem(silentFileSystem) }
      if let failure, failure.isLimit { return .limit(failure) }
      return innerFailures.values.first { $0.isLimit }.map { .limit($0) }
    }

    /// Returns the health of an observer that polls in this way.
    func health(_ polling: WatchPolling) -> WatchHealth {
      if let failure = lookFailures.min(by: { $0.key < $1.key })?.value { return .impaired(failure) }
      let failure = failure ?? innerFailures.min { $0.key < $1.key }?.value
      if let failure, !(pollReason != nil && failure.isLimit) { return .impaired(failure) }
      switch plan.outcome {
      case .failed(ENOENT, let path), .failed(ENOTDIR, let path):
        return .waiting(for: URL(fileURLWithPath: path, isDirectory: true))
      case .failed(let errno, let path):
        return .impaired(FileObserverError(errno, "inspect", path))
      case .reached:
        guard let pollReason, let interval = polling.interval else { return .active }
        return .polling(every: interval, because: pollReason)
      }
    }
  }
}

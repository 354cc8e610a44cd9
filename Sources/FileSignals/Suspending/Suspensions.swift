import Dispatch
package import Foundation
package import Signals

/// The objects of this process that take part in suspensions, and the suspension of a directory.
package final class Suspensions: Sendable {
  package static let shared = Suspensions()

  private struct Use {
    let url: URL
    /// The queue on which the member's methods run, one after another.
    var queue: DispatchQueue?
  }

  private struct State {
    var members = StagedMembers<any Suspendable, SuspensionStage, Use>()
    var stepHook: @Sendable (SuspensionStep) -> Void = { _ in }
  }

  private let state = Guarded(State())

  /// Held while a directory is suspended or resumed.
  private let turn = OwnedLock()

  /// Calls a closure at each step of later suspensions, on the thread that makes the step.
  package func onStep(_ hook: @escaping @Sendable (SuspensionStep) -> Void) {
    state.replace { exchange(&$0.stepHook, with: hook) }
  }

  private func reach(_ step: SuspensionStep) { state.withLock { $0.stepHook }(step) }

  /// Makes an object take part in the suspensions of every directory that contains a file.
  ///
  /// An object that is about to hold a lock checks ``DirectoryRules/phase(for:)`` after this call. If the directory is
  /// still open, a suspension that begins later waits for the object.
  ///
  /// - Parameters:
  ///   - member: The object, which is not kept alive.
  ///   - url: The file or directory that it uses.
  /// - Returns: A token that removes the object when it is cancelled or released.
  package func add(_ member: any Suspendable, at url: URL) -> SignalSubscription {
    let stage = member.suspensionStage
    let number = state.withLock { $0.members.add(in: stage, Use(url: url)) { [weak member] in member } }
    return SignalSubscription { [self] in state.replace { $0.members.remove(number) } }
  }

  // MARK: Suspending

  /// Ends all work of this process in a directory, releases all of its locks there, and refuses new ones.
  ///
  /// If the directory is already suspended, the call waits for work that is still under way.
  ///
  /// - Parameters:
  ///   - directory: The directory, whose path is free of symbolic links.
  ///   - limit: The longest time to wait for work under way.
  /// - Throws: ``SuspensionError/nested(_:)``; then nothing has changed. ``SuspensionError/stillBusy(_:files:after:)``.
  @available(*, noasync, message: "It waits for work under way")
  package func suspend(_ directory: URL, within limit: Duration) throws(SuspensionError) {
    let path = directory.path
    // A thread that waits for itself would wait for the whole limit.
    let isNested = ThreadLocks.shared.isHeldByThisThread(in: path)
    guard !isNested, !members(in: path).contains(where: { $0.member.delaysSuspensionOnThisThread }) else {
      throw .nested(directory)
    }
    let unfinished = turn.withLock { () -> [URL] in
      let begin = ContinuousClock.now
      DirectoryRules.shared.setPhase(max(.preparing, DirectoryRules.shared.rule(of: path).phase), of: path)
      reach(.preparing)
      // Half of the time is left for the work that only the next step ends.
      _ = run(members(in: path), until: begin + limit / 2, steps: (.endingWork, .endedWork)) {
        $0.endWorkForSuspension()
      }
      DirectoryRules.shared.setPhase(.suspended, of: path)
      reach(.suspended)
      let unfinished = run(members(in: path), until: begin + limit, steps: (.releasing, .released)) {
        $0.releaseForSuspension()
      }
      let locked = remainingLocks(in: path, until: begin + limit)
      if locked.isEmpty { reach(.unlocked) }
      return Array(Set(unfinished + locked))
    }
    if !unfinished.isEmpty { throw .stillBusy(directory, files: unfinished.map(\.path).sorted(), after: limit) }
  }

  /// Waits until this process neither holds nor seeks a lock in a directory.
  ///
  /// A thread that waits for another process is waited for, too, because it would hold the lock for a moment. If the
  /// other process keeps the lock, the thread is no reason to fail.
  ///
  /// - Returns: The files whose locks are still held at the end.
  private func remainingLocks(in directory: String, until deadline: ContinuousClock.Instant) -> [URL] {
    var pauses = Backoff.exponential(from: .microseconds(100), upTo: .milliseconds(5)).pauses()
    while true {
      let used = ThreadLocks.shared.used(in: directory) + HeldLocks.shared.used(in: directory)
      if used.isEmpty || ContinuousClock.now >= deadline { return used.filter { $0.1 == .held }.map(\.0) }
      _ = pauses.sleep()
    }
  }

  // MARK: Resuming

  /// Allows locks in a directory again, and lets all objects catch up.
  ///
  /// If the directory is not suspended, objects that could not continue try again.
  ///
  /// - Parameters:
  ///   - directory: The directory, whose path is free of symbolic links.
  ///   - limit: The longest time to wait for one stage of the objects, which continue afterwards all the same.
  /// - Throws: ``SuspensionError/notResumed(_:reasons:)``.
  @available(*, noasync, message: "It waits for the objects of the directory")
  package func resume(_ directory: URL, within limit: Duration) throws(SuspensionError) {
    let path = directory.path
    let reasons = Guarded<[String]>([])
    turn.withLock {
      DirectoryRules.shared.setPhase(.open, of: path)
      reach(.opened)
      for stage in SuspensionStage.allCases {
        // An outer directory may still be suspended.
        let due = members(in: path, stage).filter { DirectoryRules.phase(for: $0.url) == .open }
        _ = run(due, until: .now + limit, steps: (.resuming, .resumed)) { member in
          do {
            try member.resumeAfterSuspension()
          } catch {
            reasons.withLock { $0.append("\(error)") }
          }
        }
      }
    }
    let found = reasons.withLock { $0 }
    if !found.isEmpty { throw .notResumed(directory, reasons: found.sorted()) }
  }

  /// A Boolean value that indicates whether a directory itself is suspended.
  package func isSuspended(_ directory: URL) -> Bool {
    DirectoryRules.shared.rule(of: directory.path).phase != .open
  }

  // MARK: Members

  /// Returns the objects of a type that use a file in a directory, in the order in which they were added.
  ///
  /// - Complexity: O(*n*) in the number of objects of the process.
  package func members<Kind>(of type: Kind.Type, in directory: URL) -> [Kind] {
    let path = directory.path
    return state.withLock { $0.members.entries }.sorted { $0.number < $1.number }.compactMap { entry in
      guard DirectoryPaths(of: entry.detail.url).areIn(path) else { return nil }
      return entry.member() as? Kind
    }
  }

  private struct Member: Sendable {
    let url: URL
    let member: any Suspendable
    let queue: DispatchQueue?
  }

  /// Returns the members in a directory that hold locks or, if a stage is given, the members of that stage.
  private func members(in directory: String, _ stage: SuspensionStage? = nil) -> [Member] {
    let all = state.withLock { state in
      state.members.entries.filter { stage == nil ? $0.stage != .readers : $0.stage == stage }
    }
    return all.filter { DirectoryPaths(of: $0.detail.url).areIn(directory) }.compactMap { entry in
      guard let member = entry.member() else { return nil }
      let queue = entry.stage == .readers ? nil : queue(of: entry.number)
      return Member(url: entry.detail.url, member: member, queue: queue)
    }
  }

  /// Returns the queue of a member.
  ///
  /// Dispatch creates a thread for a serial queue even if all others block.
  private func queue(of number: Int) -> DispatchQueue {
    state.withLock { state in
      if let queue = state.members[number]?.queue { return queue }
      let queue = DispatchQueue(label: "org.signals.suspending", qos: .userInitiated)
      state.members[number]?.queue = queue
      return queue
    }
  }

  /// Runs a closure for each member, between two steps, and waits for them.
  ///
  /// - Returns: The files of the members that have not finished by the deadline.
  private func run(
    _ members: [Member], until deadline: ContinuousClock.Instant,
    steps: (before: SuspensionStep, after: SuspensionStep),
    _ body: @escaping @Sendable (any Suspendable) -> Void
  ) -> [URL] {
    let done = DispatchSemaphore(value: 0)
    let unfinished = Guarded<[Int: URL]>([:])
    var count = 0
    for (index, member) in members.enumerated() {
      guard let queue = member.queue else {
        reach(steps.before)
        body(member.member)
        reach(steps.after)
        continue
      }
      unfinished.withLock { $0[index] = member.url }
      count += 1
      queue.async { [self] in
        reach(steps.before)
        body(member.member)
        reach(steps.after)
        unfinished.withLock { $0[index] = nil }
        done.signal()
      }
    }
    let end = DispatchTime.now() + max(.zero, deadline - .now).inSeconds
    for _ in 0..<count where done.wait(timeout: end) == .timedOut { break }
    return unfinished.withLock { Array($0.values) }
  }
}

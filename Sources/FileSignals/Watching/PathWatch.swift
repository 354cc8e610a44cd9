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

/// Keeps watch over a path, whatever becomes of the directories and links that lead to it.
///
/// The backend's thread only leaves its events here; all else happens on a serial queue, where the owner is called,
/// never concurrently and with no lock held.
final class PathWatch: @unchecked Sendable {
  // Sound: `pending` and `isScheduled` are guarded by the lock; the rest belongs to the queue once `init` is over.

  /// What has happened since the owner was last called.
  struct Batch {
    /// What was seen of the file, or of the directory and its entries, in order.
    var events: [WatchEvent]
    /// Whether other directories are watched than before: what happened in between was not seen.
    var isRearmed = false
    /// Whether the system lost events.
    var isOverflow = false
  }

  /// A burst of more events than this is treated as one in which some were lost, to bound the memory it takes.
  private static let pendingLimit = 16_384

  let path: String
  let health = MutableProperty(WatchHealth.active)
  private(set) var plan: WatchPlan
  private let target: WatchPlan.Target
  private let backend: any WatchBackend
  private let queue: DispatchQueue
  private let onBatch: @Sendable (PathWatch, Batch) -> Void

  private let lock = Lock()
  private var pending: [WatchEvent] = []
  private var isScheduled = false
  /// Until the owner is set up, events only gather.
  private var isStarted = false
  private var pauses = 0
  /// How many pauses are over.
  private var pauseNumber = 0

  private var tokens: [WatchToken] = []
  private var isRetrying = false
  private var retryDelay = 1.0

  /// Begins to watch; the owner is called from ``start()`` on.
  ///
  /// - Throws: The error, if the directory cannot be watched now. Later it would be reported as `health`.
  init(
    path: String, target: WatchPlan.Target, backend: any WatchBackend, queue: DispatchQueue?,
    onBatch: @escaping @Sendable (PathWatch, Batch) -> Void
  ) throws(FileObserverError) {
    self.path = path
    self.target = target
    self.backend = backend
    self.queue = DispatchQueue(label: "org.signals.observer", qos: .userInitiated, target: queue)
    self.onBatch = onBatch
    plan = WatchPlan(path: path, target: target)
    arm()
    if let error = failure ?? Self.error(of: plan) {
      disarm()
      throw error
    }
  }

  deinit {
    disarm()
  }

  /// Begins to call the owner, which has by now looked at what there is.
  func start() {
    if schedule({ isStarted = true }) { enqueue() }
  }

  // MARK: Events

  /// What has to be done about events that were taken.
  enum Reception {
    /// The caller must have them processed, with no lock held.
    case due
    /// The owner has put off being called; the caller must see to it that this does not last.
    case postponed(Postponed)
    /// They will be processed in any case.
    case scheduled
  }

  /// Takes what the backend saw.
  func take(_ events: [WatchEvent]) -> Reception {
    lock.withLock {
      if pending.count + events.count <= Self.pendingLimit {
        pending += events
      } else if let point = events.first?.point {
        pending = [WatchEvent(kinds: .overflow, name: nil, point: point)]
      }
      guard isStarted, !isScheduled, !pending.isEmpty else { return .scheduled }
      if pauses > 0 { return .postponed(Postponed(watch: self, pause: pauseNumber)) }
      isScheduled = true
      return .due
    }
  }

  /// Has what was taken processed on the queue.
  func enqueue() {
    queue.async { [self] in handle() }
  }

  /// Processes what was taken on the calling thread, which waits for the queue if need be.
  func process() {
    queue.sync { handle() }
  }

  /// Whether events that came now would be processed at once.
  var isIdle: Bool {
    lock.withLock { isStarted && !isScheduled && pauses == 0 }
  }

  /// Lets events only gather, until ``resume(unless:)`` has been called as often, though not for long.
  func pause() {
    lock.withLock { pauses += 1 }
  }

  /// Has what has gathered processed, unless it tells of nothing but another file in the file's place, and that is known.
  ///
  /// - Parameter isKnown: Looks whether what is in the file's place now is known, and no link.
  func resume(unless isKnown: () -> Bool) {
    // Taken before looking: what happens after the look gathers anew.
    let events = lock.withLock {
      guard !isScheduled, pending.allSatisfy(isReplacement) else { return [WatchEvent]() }
      defer { pending = [] }
      return pending
    }
    let isNews = !events.isEmpty && !isKnown()
    let isDue = lock.withLock {
      pauses -= 1
      pauseNumber += 1
      if isNews { pending = events + pending }
      // Even if others still put it off: they may do so for long.
      return demandProcessing()
    }
    if isDue { enqueue() }
  }

  /// Has what has gathered processed although the owner puts it off; to be called with the lock held.
  ///
  /// - Returns: Whether the caller must call ``enqueue()``.
  private func demandProcessing() -> Bool {
    guard isStarted, !isScheduled, !pending.isEmpty else { return false }
    isScheduled = true
    return true
  }

  /// Events that the owner has put off hearing of.
  struct Postponed {
    let watch: PathWatch
    /// Which pause it was.
    let pause: Int

    /// Has the events processed if that same pause is still not over.
    ///
    /// - Returns: What is to be reviewed later, because it is put off by a newer pause.
    func reviewed() -> Postponed? {
      watch.review(self)
    }

    /// Has the events processed.
    func end() {
      if watch.lock.withLock({ watch.demandProcessing() }) { watch.enqueue() }
    }
  }

  private func review(_ postponed: Postponed) -> Postponed? {
    let (isDue, next) = lock.withLock { () -> (Bool, Postponed?) in
      if postponed.pause == pauseNumber { return (demandProcessing(), nil) }
      let isOver = isScheduled || pauses == 0 || pending.isEmpty
      return (false, isOver ? nil : Postponed(watch: self, pause: pauseNumber))
    }
    if isDue { enqueue() }
    return next
  }

  private func isReplacement(_ event: WatchEvent) -> Bool {
    let place = event.point.place
    guard let name = event.name, event.kinds == .movedIn else { return false }
    return name == place.leaf && !place.hinges.contains(name)
  }

  /// Runs a closure that changes the file in a moment, and takes in what follows from it, so that no other thread is woken
  /// only to find that out.
  func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
    backend.muffle()
    defer { backend.unmuffle(by: self) }
    return try change()
  }

  private func schedule(_ change: () -> Void) -> Bool {
    lock.withLock {
      change()
      guard isStarted, !isScheduled, pauses == 0, !pending.isEmpty else { return false }
      isScheduled = true
      return true
    }
  }

  private func handle() {
    let events = lock.withLock {
      let events = pending
      pending = []
      isScheduled = false
      return events
    }
    var batch = Batch(events: events)
    batch.isOverflow = events.contains { $0.kinds.contains(.overflow) }
    if events.contains(where: isStructural) {
      // A watch that ended may belong to a directory whose successor looks the same, down to a number used again; and an
      // overflow may have swallowed the news that one ended.
      let isOver = events.contains { !$0.kinds.isDisjoint(with: [.selfGone, .overflow]) }
      batch.isRearmed = rearm(always: isOver)
    }
    onBatch(self, batch)
  }

  /// Whether the path may lead elsewhere after an event.
  private func isStructural(_ event: WatchEvent) -> Bool {
    if !event.kinds.isDisjoint(with: [.selfMoved, .selfGone, .overflow, .changed]) { return true }
    guard let name = event.name else { return false }
    if event.point.place.hinges.contains(name) { return true }
    // Another file in the file's place may be a symbolic link.
    guard event.point.place.leaf == name, !event.kinds.isDisjoint(with: [.created, .movedIn]), let file = plan.file
    else {
      return false
    }
    return FileStatus(path: file, followsLinks: false)?.kind == .link
  }

  // MARK: Arming

  /// Why the path cannot be watched to its end, as far as the last arming knows.
  private var failure: FileObserverError?

  /// Watches what has to be watched now.
  ///
  /// - Returns: Whether that is other than before.
  private func rearm(always: Bool) -> Bool {
    if !always, failure == nil, WatchPlan(path: path, target: target) == plan { return false }
    let old = plan
    arm()
    reportHealth()
    return always || plan != old
  }

  /// Arms, then looks whether the path still leads where it did; otherwise what happened meanwhile would never be seen.
  private func arm() {
    for _ in 0..<1000 {
      let next = WatchPlan(path: path, target: target)
      failure = nil
      var armed: [WatchToken] = []
      for place in next.places where place.path != "/" || place.depth != .itself {
        do throws(FileObserverError) {
          armed.append(try backend.add(WatchPoint(place, watch: self)))
        } catch {
          // One can do without watching the directories above, which seldom change, and may be closed to us.
          if place.isEssential { failure = error }
        }
      }
      disarm()
      tokens = armed
      plan = next
      // A directory that vanished before it could be watched has changed the plan, too.
      if WatchPlan(path: path, target: target) == next { return }
    }
    failure = .system(operation: "keep up with changes of", path: path, errno: EAGAIN)
  }

  private func disarm() {
    for token in tokens { backend.remove(token) }
    tokens = []
  }

  // MARK: Health

  private func reportHealth() {
    let health: WatchHealth
    if let failure {
      health = .impaired(failure)
    } else {
      switch plan.outcome {
      case .reached: health = .active
      case .failed(ENOENT, let path), .failed(ENOTDIR, let path):
        health = .waiting(for: URL(fileURLWithPath: path, isDirectory: true))
      case .failed(let errno, let path): health = .impaired(FileObserverError(errno, "look at", path))
      }
    }
    if case .impaired = health { retryLater() } else { retryDelay = 1 }
    if self.health.value != health { self.health.value = health }
  }

  /// Tries again after a while; only for as long as something is wrong that no event tells the end of.
  private func retryLater() {
    guard !isRetrying else { return }
    isRetrying = true
    queue.asyncAfter(deadline: .now() + retryDelay) { [weak self] in
      guard let self else { return }
      isRetrying = false
      retryDelay = min(retryDelay * 2, 30)
      onBatch(self, Batch(events: [], isRearmed: rearm(always: true)))
    }
  }

  private static func error(of plan: WatchPlan) -> FileObserverError? {
    switch plan.outcome {
    case .reached: nil
    case .failed(let errno, let path): FileObserverError(errno, "look at", path)
    }
  }
}

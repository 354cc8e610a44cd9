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
    /// Whether nothing was seen, and it is time to look.
    var isPoll = false
  }

  /// A burst of more events than this is treated as one in which some were lost, to bound the memory it takes.
  private static let pendingLimit = 16_384

  let path: String
  let health = MutableProperty(WatchHealth.active)
  var plan: WatchPlan
  let target: WatchPlan.Target
  let polling: WatchPolling
  let backend: @Sendable () throws(FileObserverError) -> any WatchBackend
  let queue: DispatchQueue
  let onBatch: @Sendable (PathWatch, Batch) -> Void

  private let lock = Lock()
  private var pending: [WatchEvent] = []
  private var isScheduled = false
  /// Until the owner is set up, events only gather.
  private var isStarted = false
  private var pauses = 0
  private var isPollDue = false
  /// How many pauses are over.
  private var pauseNumber = 0

  var tokens: [WatchToken] = []
  /// Watches of directories below the target, which belong to the owner.
  var innerTokens: Set<WatchToken> = []
  var isRetrying = false
  var retryDelay = 1.0

  /// Why the path cannot be watched to its end, as far as the last arming knows.
  var failure: FileObserverError?
  /// Why directories below the target cannot be watched, by their paths from there on.
  var innerFailures: [String: FileObserverError] = [:]
  /// Why the target or directories below it cannot be looked into, which polling does not make up for.
  var lookFailures: [String: FileObserverError] = [:]
  /// The type of the file system, if others can change it without the system's telling.
  var silentFileSystem: String?
  /// Why the owner is told to look from time to time, if so.
  var pollReason: WatchPolling.Reason?

  /// Begins to watch; the owner is called from ``start()`` on.
  ///
  /// - Throws: The error, if the directory can neither be watched now nor polled. Later it would be reported as `health`.
  init(
    path: String, target: WatchPlan.Target, polling: WatchPolling, queue: DispatchQueue?,
    backend: @escaping @Sendable () throws(FileObserverError) -> any WatchBackend = WatchHub.shared,
    onBatch: @escaping @Sendable (PathWatch, Batch) -> Void
  ) throws(FileObserverError) {
    self.path = path
    self.target = target
    self.polling = polling
    self.backend = backend
    self.queue = DispatchQueue(label: "org.signals.observer", qos: .userInitiated, target: queue)
    self.onBatch = onBatch
    plan = WatchPlan(path: path, target: target)
    arm()
    if let error = pollReason == nil ? failure ?? Self.error(of: plan) : Self.error(of: plan) {
      end()
      throw error
    }
  }

  deinit {
    end()
  }

  /// Begins to call the owner, which has by now looked at what there is.
  func start() {
    reportHealth()
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
    guard let backend = wakingBackend else { return try change() }
    backend.muffle()
    defer { backend.unmuffle(by: self) }
    return try change()
  }

  /// What wakes threads for events, if anything does.
  private var wakingBackend: (any WatchBackend)? {
    guard !polling.isForced else { return nil }
    do throws(FileObserverError) {
      return try backend()
    } catch {
      // The watch is polled, and its health says why.
      return nil
    }
  }

  private func schedule(_ change: () -> Void) -> Bool {
    lock.withLock {
      change()
      guard isStarted, !isScheduled, pauses == 0, !pending.isEmpty else { return false }
      isScheduled = true
      return true
    }
  }

  /// Has the owner look, unless it is about to.
  func poll() {
    let isDue = lock.withLock {
      guard isStarted, !isPollDue, pauses == 0 else { return false }
      isPollDue = true
      return true
    }
    if isDue { queue.async { [weak self] in self?.handlePoll() } }
  }

  private func handlePoll() {
    lock.withLock { isPollDue = false }
    guard pollReason != nil else { return }
    let isRearmed = rearm(always: false)
    call(Batch(events: [], isRearmed: isRearmed, isPoll: true))
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
      let isOver = events.contains { event in
        event.kinds.contains(.overflow) || event.kinds.contains(.selfGone) && event.point.inner == nil
      }
      batch.isRearmed = rearm(always: isOver)
    }
    call(batch)
  }

  func call(_ batch: Batch) {
    let before = (innerFailures, lookFailures)
    onBatch(self, batch)
    if (innerFailures, lookFailures) != before { reportHealth() }
  }

  /// Whether the path may lead elsewhere after an event.
  private func isStructural(_ event: WatchEvent) -> Bool {
    if event.kinds.contains(.overflow) { return true }
    // Below the target, the owner is at home.
    guard event.point.inner == nil else { return false }
    if !event.kinds.isDisjoint(with: [.selfMoved, .selfGone, .changed]) { return true }
    guard let name = event.name else { return false }
    if event.point.place.hinges.contains(name) { return true }
    // Another file in the file's place may be a symbolic link.
    guard event.point.place.leaf == name, !event.kinds.isDisjoint(with: [.created, .movedIn]), let file = plan.file
    else {
      return false
    }
    return FileStatus(path: file, followsLinks: false)?.kind == .link
  }
}

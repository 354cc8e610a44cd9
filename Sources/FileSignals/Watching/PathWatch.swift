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
  // Sound: `pending` is guarded by the lock; the rest belongs to the queue once `init` is over.

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

  let path: String
  let health = MutableProperty(WatchHealth.active)
  var plan: WatchPlan
  let target: WatchPlan.Target
  let polling: WatchPolling
  let backend: @Sendable () throws(FileObserverError) -> any WatchBackend
  let queue: DispatchQueue
  let onBatch: @Sendable (PathWatch, Batch) -> Void

  let lock = Lock()
  var pending = PendingEvents()

  var tokens: [WatchToken] = []
  /// Watches of directories below the target, which belong to the owner.
  var innerTokens: Set<WatchToken> = []
  var isRetrying = false
  var retryDelay = 1.0

  /// Why the path cannot be watched to its end, as far as the last arming knows.
  var failure: FileObserverError?
  /// Why directories below the target cannot be watched, by their paths from there on.
  var innerFailures: [ExactString: FileObserverError] = [:]
  /// Why the target or directories below it cannot be looked into, which polling does not make up for.
  var lookFailures: [ExactString: FileObserverError] = [:]
  /// The type of the file system, if others can change it without the system's telling.
  var silentFileSystem: String?
  /// Why the owner is told to look from time to time, if so.
  var pollReason: WatchPolling.Reason?

  /// Begins to watch; the owner is called from ``start()`` on.
  ///
  /// - Throws: The error, if the directory can neither be watched now nor polled. Later it would be reported as
  ///   `health`.
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
    if lock.withLock({ pending.start() }) { enqueue() }
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
    switch lock.withLock({ pending.add(events) }) {
    case .due: .due
    case .postponed(let pause): .postponed(Postponed(watch: self, pause: pause))
    case .scheduled: .scheduled
    }
  }

  /// Has what was taken processed on the queue.
  func enqueue() {
    queue.async { [self] in
      if handle() { enqueue() }
    }
  }

  /// Processes what was taken on the calling thread, which waits for the queue if need be.
  ///
  /// What comes meanwhile is processed here, too: to wake another thread for it would take longer.
  func process() {
    while queue.sync(execute: handle) {}
  }

  /// Whether events that came now would be processed at once.
  var isIdle: Bool {
    lock.withLock { pending.isIdle }
  }

  /// Has the owner look, unless it is about to.
  func poll() {
    if lock.withLock({ pending.demandPoll() }) { queue.async { [weak self] in self?.handlePoll() } }
  }

  private func handlePoll() {
    lock.withLock { pending.beginPoll() }
    guard pollReason != nil else { return }
    let isRearmed = rearm(always: false)
    call(Batch(events: [], isRearmed: isRearmed, isPoll: true))
  }

  /// Calls the owner with what there is.
  ///
  /// - Returns: Whether there is more by now, which the caller must have processed.
  private func handle() -> Bool {
    let events = lock.withLock { pending.take() }
    var batch = Batch(events: events)
    batch.isOverflow = events.contains { $0.kinds.contains(.overflow) }
    if events.contains(where: isStructural) {
      // A watch that ended may belong to a directory whose successor looks the same, down to a number used again; and
      // an overflow may have swallowed the news that one ended.
      let isOver = events.contains { event in
        event.kinds.contains(.overflow) || event.kinds.contains(.selfGone) && event.point.inner == nil
      }
      batch.isRearmed = rearm(always: isOver)
    }
    call(batch)
    return lock.withLock { pending.endUnlessMore() }
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

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
    if schedule({ isStarted = true }) { queue.async { [self] in handle() } }
  }

  // MARK: Events

  /// Takes what the backend saw, and has it processed on the queue.
  func receive(_ events: [WatchEvent]) {
    if take(events) { queue.async { [self] in handle() } }
  }

  /// Takes what the backend saw.
  ///
  /// - Returns: Whether the caller must have it processed.
  func take(_ events: [WatchEvent]) -> Bool {
    schedule {
      if pending.count + events.count <= Self.pendingLimit {
        pending += events
      } else if let point = events.first?.point {
        pending = [WatchEvent(kinds: .overflow, name: nil, point: point)]
      }
    }
  }

  /// Processes what was taken on the calling thread, which waits for the queue if need be.
  func process() {
    queue.sync { handle() }
  }

  /// Whether events that came now would be processed at once.
  var isIdle: Bool {
    lock.withLock { isStarted && !isScheduled && pauses == 0 }
  }

  /// Lets events only gather, until ``resume()`` has been called as often.
  func pause() {
    lock.withLock { pauses += 1 }
  }

  /// Has what has gathered processed.
  func resume() {
    if schedule({ pauses -= 1 }) { queue.async { [self] in handle() } }
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

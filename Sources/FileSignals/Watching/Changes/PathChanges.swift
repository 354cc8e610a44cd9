import CLibrary
package import Dispatch
package import Foundation
package import Signals
import Synchronization

/// A signal of the changes of one path, whatever happens to the directories and links that lead to it.
///
/// Everything that follows files or directories subscribes to this. The watches are armed when `init` returns, so read
/// the file only after that. Earlier changes are then read, and later changes are delivered.
///
/// - **Delivery:** Changes are delivered on a serial queue, with no lock held. Changes that arrive during a call are
///   combined into one. They also gather until the first subscriber attaches, which receives them at once.
/// - **Control:** Subscribers that change the file themselves use ``ChangeSource``.
/// - **Lifetime:** The path is watched as long as the object lives. Its subscriptions keep it alive.
package final class PathChanges: ChangeSource {
  package typealias Element = PathChange
  package typealias Failure = Never

  let path: String
  let currentHealth = MutableProperty(WatchHealth.active)
  /// A Boolean value that indicates whether the health is active.
  let activity = Atomic(true)
  private let emitter = Emitter<PathChange, Never>()
  let target: WatchPlan.Target
  let polling: WatchPolling
  let source: WatchSource
  let queue: DispatchQueue

  let pending = Guarded(PendingEvents())
  let arming: Guarded<Arming>

  /// The retries of watches that have failed.
  let retries: DelayedCall

  /// The files that need individual watches on this system.
  let followed: FollowedFiles?

  /// Creates a watch of a file, which need not exist; its directory must.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - polling: The rule for polling when the system does not report changes.
  ///   - queue: The queue on which subscribers are called, serially even if the queue is concurrent.
  /// - Throws: ``FileObserverError`` if the directory can be neither watched nor polled now. Later failures are
  ///   reported by `health`.
  package convenience init(
    file url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue? = nil
  ) throws(FileObserverError) {
    try self.init(file: url, polling: polling, queue: queue, source: .current)
  }

  convenience init(
    file url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue?, source: WatchSource
  ) throws(FileObserverError) {
    try self.init(
      path: FileObserver.path(of: url), target: .file, polling: polling, queue: queue, source: source)
  }

  /// Creates a watch of the journal of a file, which reports each append; its directory need not exist.
  package convenience init(
    journal path: String, polling: WatchPolling = .automatic, queue: DispatchQueue
  ) throws(FileObserverError) {
    try self.init(path: path, target: .journal, polling: polling, queue: queue)
  }

  /// Creates a watch of a directory, which must exist, that also reports writes to files that their writers still have
  /// open.
  ///
  /// It is for files that are appended to and read piece by piece.
  package convenience init(
    contentsOf url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue
  ) throws(FileObserverError) {
    try self.init(
      path: DirectoryObserver.path(of: url), target: .contents, polling: polling, queue: queue, followsFiles: true)
  }

  /// Creates a watch of the entries of a directory, which must exist.
  package convenience init(
    directory url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue? = nil
  ) throws(FileObserverError) {
    try self.init(path: DirectoryObserver.path(of: url), target: .directory, polling: polling, queue: queue)
  }

  init(
    path: String, target: WatchPlan.Target, polling: WatchPolling, queue: DispatchQueue?, followsFiles: Bool = false,
    source: WatchSource = .current
  ) throws(FileObserverError) {
    self.path = path
    self.target = target
    self.polling = polling
    self.source = source
    let serial = DispatchQueue(label: "org.signals.observer", qos: .userInitiated, target: queue)
    self.queue = serial
    retries = DelayedCall(.exponential(from: .seconds(1), upTo: .seconds(30)), on: serial)
    followed =
      followsFiles && source.needsWatchPerFile
      ? FollowedFiles(
        in: URL(fileURLWithPath: path, isDirectory: true), from: source, queue: queue ?? serial, sendingTo: emitter)
      : nil
    arming = Guarded(Arming(WatchPlan(path: path, target: target)))
    if let error = arming.withLock({ firstFailure(&$0) }) { throw error }
  }

  deinit {
    end()
  }

  // MARK: Subscribers

  /// Attaches a subscriber.
  ///
  /// The first one also receives the changes since `init`.
  package func subscribe(_ subscriber: some SignalSubscriber<PathChange, Never>) -> SignalSubscription {
    let subscription = emitter.subscribe(subscriber).keepAlive(self)
    if pending.withLock({ $0.beginStart() }) {
      reportHealth()
      if pending.withLock({ $0.start() }) { enqueue() }
    }
    return subscription
  }

  /// Returns the paths from this signal to its consumers.
  package func subscriptions() async -> [SubscriptionTrace] {
    await emitter.subscriptions()
  }

  /// The ability of the watch to detect changes.
  package var health: Property<WatchHealth> { currentHealth }

  package var isActive: Bool { activity.load(ordering: .relaxed) }

  // MARK: Events

  /// Receives events from the backend.
  func take(_ events: [WatchEvent]) -> PendingEvents.Reception {
    pending.withLock { $0.add(events) }
  }

  /// The time after which events are processed although the owner has paused.
  static let pauseLimit = Duration.milliseconds(10)

  /// Ensures that the owner's pause does not keep the events for long.
  func reviewLater() {
    guard pending.withLock({ $0.needsReview() }) else { return }
    queue.async(after: Self.pauseLimit) { [weak self] in
      if let self, review() { proceed(handle()) }
    }
  }

  /// Ends the wait for the end of the owner's pause.
  ///
  /// - Returns: `true` if there are events, whose processing the caller must schedule.
  func review() -> Bool { pending.withLock { $0.review() } }

  /// Schedules the processing of the events on the queue.
  func enqueue() {
    queue.async { [self] in proceed(handle()) }
  }

  /// Processes the events on the calling thread, which waits for the queue if necessary.
  ///
  /// Events that arrive during the call are processed as well, because waking another thread would take longer.
  func process() {
    var next = PendingEvents.Continuation.call
    while case .call = next { next = queue.sync(execute: handle) }
    proceed(next)
  }

  /// The pause before each further call, if the changes come faster than the subscribers can use them.
  static let rest = Duration.milliseconds(1)

  /// The rest of the thread that reads the events of such observers, while others wait for their first event.
  static let sharedRest = Duration.microseconds(250)

  private func proceed(_ next: PendingEvents.Continuation) {
    switch next {
    case .nothing: break
    case .call: enqueue()
    case .rest:
      queue.async(after: Self.rest) { [self] in
        if case .call = pending.withLock({ $0.endRest() }) { proceed(handle()) }
      }
    }
  }

  /// A Boolean value that indicates whether new events would gather.
  var isResting: Bool { pending.withLock { $0.isResting } }

  /// Schedules a poll, unless one is already due.
  func poll() {
    if pending.withLock({ $0.demandPoll() }) { queue.async { [weak self] in self?.handlePoll() } }
  }

  private func handlePoll() {
    pending.withLock { $0.beginPoll() }
    guard isPolling else { return }
    let isRearmed = rearm(always: false)
    call(PathChange(events: [], isRearmed: isRearmed, isPoll: true))
  }

  /// Calls the subscribers with the pending events.
  ///
  /// - Returns: What the caller must do next.
  private func handle() -> PendingEvents.Continuation {
    let events = pending.withLock { $0.take() }
    var change = PathChange(events: events)
    change.isOverflow = events.contains { $0.kinds.contains(.overflow) }
    if events.contains(where: isStructural) {
      // A watch that ended may belong to a directory whose successor looks the same, even with a reused number. An
      // overflow may also have lost the event of such an end.
      let isOver = events.contains { event in
        event.kinds.contains(.overflow) || event.kinds.contains(.selfGone) && event.point.inner == nil
      }
      change.isRearmed = rearm(always: isOver)
    }
    call(change)
    return pending.withLock { $0.endCall() }
  }

  func call(_ change: PathChange) {
    let before = arming.withLock { ($0.innerFailures, $0.lookFailures) }
    emitter.send(change)
    if arming.withLock({ ($0.innerFailures, $0.lookFailures) != before }) { reportHealth() }
  }

  /// Returns a Boolean value that indicates whether the path may lead elsewhere after an event.
  private func isStructural(_ event: WatchEvent) -> Bool {
    if event.kinds.contains(.overflow) { return true }
    // Below the target, the subscriber is responsible.
    guard event.point.inner == nil else { return false }
    if !event.kinds.isDisjoint(with: [.selfMoved, .selfGone, .changed]) { return true }
    guard let name = event.name else { return false }
    if event.point.place.hinges.contains(name) { return true }
    // The file may have been replaced with a symbolic link.
    guard event.point.place.leaf == name, !event.kinds.isDisjoint(with: [.created, .movedIn]), let file = plan.file
    else {
      return false
    }
    // Resolving the path again reports the error.
    return tolerating(try FileStatus(path: file, followsLinks: false)?.kind == .link, else: true)
  }
}

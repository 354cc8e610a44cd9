package import Dispatch
package import Foundation
package import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The changes of one path as a signal, whatever becomes of the directories and links that lead to it.
///
/// Everything that follows files or directories subscribes to this. It is armed when `init` returns, so read the file
/// only then: a change before is read, a change after is delivered.
///
/// - **Delivery:** On a serial queue, with no lock held. Changes that come while a subscriber is called are joined into
///   one. They also gather until the first subscriber comes, which receives them at once.
/// - **Control:** Subscribers that change the file themselves use ``ChangeSource``.
/// - **Lifetime:** The path is watched as long as the object lives. Its subscriptions keep it alive.
package final class PathChanges: ChangeSource {
  package typealias Element = PathChange
  package typealias Failure = Never

  let path: String
  let currentHealth = MutableProperty(WatchHealth.active)
  private let emitter = Emitter<PathChange, Never>()
  let target: WatchPlan.Target
  let polling: WatchPolling
  let backend: @Sendable () throws(FileObserverError) -> any WatchBackend
  let queue: DispatchQueue

  let pending = Guarded(PendingEvents())
  let arming: Guarded<Arming>

  /// Tries to watch again what cannot be watched.
  let retries: DelayedCall

  /// Files that the system has to be asked about one by one.
  let followed: FollowedFiles?

  /// Watches a file, which need not exist; its directory must.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - polling: Whether to look from time to time, too, in case the system does not report a change.
  ///   - queue: The queue on which subscribers are called, serially even if the queue is not.
  /// - Throws: ``FileObserverError`` if the directory can neither be watched now nor polled. Later failures are
  ///   reported by `health`.
  package convenience init(
    file url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue? = nil
  ) throws(FileObserverError) {
    try self.init(path: FileObserver.path(of: url), target: .file, polling: polling, queue: queue)
  }

  /// Watches a directory, which must exist, for what is written into its files while their writers still have them
  /// open.
  ///
  /// It is for files that are appended to, and read piece by piece.
  package convenience init(
    contentsOf url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue
  ) throws(FileObserverError) {
    try self.init(
      path: DirectoryObserver.path(of: url), target: .contents, polling: polling, queue: queue, followsFiles: true)
  }

  /// Watches the entries of a directory, which must exist.
  package convenience init(
    directory url: URL, polling: WatchPolling = .automatic, queue: DispatchQueue? = nil
  ) throws(FileObserverError) {
    try self.init(path: DirectoryObserver.path(of: url), target: .directory, polling: polling, queue: queue)
  }

  init(
    path: String, target: WatchPlan.Target, polling: WatchPolling, queue: DispatchQueue?, followsFiles: Bool = false,
    backend: @escaping @Sendable () throws(FileObserverError) -> any WatchBackend = WatchHub.shared
  ) throws(FileObserverError) {
    self.path = path
    self.target = target
    self.polling = polling
    self.backend = backend
    let serial = DispatchQueue(label: "org.signals.observer", qos: .userInitiated, target: queue)
    self.queue = serial
    retries = DelayedCall(.exponential(from: .seconds(1), upTo: .seconds(30)), on: serial)
    followed =
      followsFiles
      ? FollowedFiles(in: URL(fileURLWithPath: path, isDirectory: true), queue: queue ?? serial) { [emitter] name in
        emitter.send(PathChange(written: name))
      } : nil
    arming = Guarded(Arming(WatchPlan(path: path, target: target)))
    if let error = arming.withLock({ firstFailure(&$0) }) { throw error }
  }

  deinit {
    end()
  }

  // MARK: Subscribers

  /// Attaches a subscriber, of which the first one also receives the changes since `init`.
  package func subscribe<Subscriber: SignalSubscriber<PathChange, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let subscription = emitter.subscribe(subscriber).keepAlive(self)
    if pending.withLock({ $0.beginStart() }) {
      reportHealth()
      if pending.withLock({ $0.start() }) { enqueue() }
    }
    return subscription
  }

  /// The ways that a change takes from here to its consumers.
  package func subscriptions() async -> [SubscriptionTrace] {
    await emitter.subscriptions()
  }

  /// Whether changes are seen.
  package var health: Property<WatchHealth> { currentHealth }

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
    switch pending.withLock({ $0.add(events) }) {
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
    pending.withLock { $0.isIdle }
  }

  /// Has the owner look, unless it is about to.
  func poll() {
    if pending.withLock({ $0.demandPoll() }) { queue.async { [weak self] in self?.handlePoll() } }
  }

  private func handlePoll() {
    pending.withLock { $0.beginPoll() }
    guard isPolling else { return }
    let isRearmed = rearm(always: false)
    call(PathChange(events: [], isRearmed: isRearmed, isPoll: true))
  }

  /// Calls the owner with what there is.
  ///
  /// - Returns: Whether there is more by now, which the caller must have processed.
  private func handle() -> Bool {
    let events = pending.withLock { $0.take() }
    var change = PathChange(events: events)
    change.isOverflow = events.contains { $0.kinds.contains(.overflow) }
    if events.contains(where: isStructural) {
      // A watch that ended may belong to a directory whose successor looks the same, down to a number used again; and
      // an overflow may have swallowed the news that one ended.
      let isOver = events.contains { event in
        event.kinds.contains(.overflow) || event.kinds.contains(.selfGone) && event.point.inner == nil
      }
      change.isRearmed = rearm(always: isOver)
    }
    call(change)
    return pending.withLock { $0.endUnlessMore() }
  }

  func call(_ change: PathChange) {
    let before = arming.withLock { ($0.innerFailures, $0.lookFailures) }
    emitter.send(change)
    if arming.withLock({ ($0.innerFailures, $0.lookFailures) != before }) { reportHealth() }
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

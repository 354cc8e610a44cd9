import Dispatch
import FileSignals
import Foundation
import Signals

/// Reads a log for one consumer, on a queue, for as long as it has subscribers or loops.
final class LogFeed: Sendable {
  let failures: FailureRelay<AppGroupsLogError>
  let changes: any ChangeSource
  private let subscriptions = Guarded<Set<SignalSubscription>>([])
  let location: LogLocation
  let reading: LogReading
  /// The object that saves the consumer's position, if it is kept.
  let saver: LogSaver?
  let decoder: EntryDecoder
  let producer: LogProducer
  let queue: DispatchQueue

  let audience: LogAudience

  /// The call that reads doubtful records again.
  let looks: DelayedCall
  /// The call that tries again to read segments that could not be read.
  let scans: DelayedCall

  /// The state, which the queue changes; only a switch plans the next beginning on another thread.
  let state = Guarded(State())

  /// Creates a feed that observes the directory of a log.
  convenience init(
    _ reading: LogReading, limits: LogLimits, decoder: EntryDecoder, producer: LogProducer
  ) throws(AppGroupsLogError) {
    let queue = DispatchQueue(label: "org.signals.log", qos: .userInitiated)
    let changes = try producer.location.makeChanges(on: queue)
    self.init(reading, limits: limits, decoder: decoder, producer: producer, changes: changes, queue: queue)
  }

  /// Creates a feed for a log whose changes are delivered on the queue.
  init(
    _ reading: LogReading, limits: LogLimits, decoder: EntryDecoder, producer: LogProducer,
    changes: any ChangeSource, queue: DispatchQueue
  ) {
    self.reading = reading
    location = producer.location
    failures = FailureRelay(of: "AppGroupsLog", producer.location.url.path, replay: 16)
    self.decoder = decoder
    self.producer = producer
    let audience = LogAudience(reading.acknowledgement, isKeepingEvents: reading.consumer != nil)
    self.audience = audience
    saver = reading.consumer.map { [failures] _ in
      LogSaver(limits: limits, audience: audience, failures: failures)
    }
    self.queue = queue
    looks = DelayedCall(.constant(.milliseconds(20)), on: queue)
    scans = DelayedCall(.unreadable, on: queue)
    self.changes = changes
    let following = changes.sink { [weak self] in self?.receive($0) }
    let membership = location.scope?.enrol(self)
    let suspending = Suspensions.shared.add(self, at: location.url)
    subscriptions.withLock { $0 = Set([following, membership, suspending].compactMap { $0 }) }
  }

  // MARK: Subscribers

  /// Calls a subscriber's closure with each event, on the queue, until the token is released.
  func subscribe(
    _ subscriber: any Sendable, _ receive: @escaping @Sendable (DecodedEntry) -> Void
  ) -> SignalSubscription {
    let (number, generation) = audience.add(subscriber, receive)
    if let generation { beginLater(generation) }
    return SignalSubscription { [self] in follow(audience.remove(number)) }
  }

  func enter(_ loop: LogLoop) {
    if let generation = audience.add(loop) { beginLater(generation) }
  }

  func leave(_ loop: LogLoop) {
    follow(audience.remove(loop))
  }

  /// Continues after the departure of a member.
  private func follow(_ departure: LogAudience.Departure) {
    switch departure {
    case .last: queue.async { [self] in endUnlessObserved() }
    case .leavingEvents(let generation): readAgain(generation)
    case .leavingNothing(let isDrainDue): if isDrainDue { queue.async { [self] in drain() } }
    }
  }

  private func beginLater(_ generation: Int) {
    // Determined on this thread, so that the start is exactly at the subscription.
    let start = start()
    queue.async { [self] in begin(from: start, generation) }
  }

  /// Returns the start for a consumer that has not read the log before, and keeps later events for it.
  ///
  /// - Parameter isNew: A Boolean value that indicates whether the contents are new, so that no process removes them.
  /// - Returns: The start.
  func start(isNew: Bool = false) -> Start {
    // The attempt to begin reports the error.
    tolerating(else: Start(place: nil, ends: [:])) {
      let place = try location.readablePlace
      if !audience.isEmpty, isNew || !isRemovalLikely { try reading.consumer(in: place)?.expect() }
      let isNewest = reading.consumer == nil || reading.start == .newest
      return Start(place: place, ends: isNewest ? LogEnd.positions(in: place) : [:])
    }
  }

  /// Records that a loop has handled an event; `hasRoom` indicates whether it has room again.
  func didHandle(_ handled: UInt64?, _ loop: LogLoop, hasRoom: Bool) {
    let (isSaveDue, isDrainDue) = audience.note(handled, by: loop, hasRoom: hasRoom)
    if isSaveDue { saver?.saveSoon() }
    if isDrainDue { queue.async { [self] in drain() } }
  }

  func acknowledge(_ position: LogPosition, of producer: UUID, at switchCount: Int) {
    audience.acknowledge(position, of: producer, at: switchCount)
    saver?.saveAcknowledged()
  }

  func save() async throws {
    try await saver?.save(after: queue)
  }

  // MARK: Beginning and ending

  func begin(from start: Start, _ generation: Int) {
    // A later subscriber begins at its own start, and must not receive earlier events.
    guard audience.isCurrent(generation) else { return }
    let epoch = state.withLock { $0.begin(at: start.place?.switchCount) }
    saver?.end(unlessReplaced: true)
    endRun()
    tryToBegin(from: start, generation, epoch)
  }

  private func tryToBegin(from start: Start, _ generation: Int, _ epoch: Int) {
    guard state.withLock({ $0.epoch }) == epoch, !audience.isEmpty else { return }
    if audience.isSuspended { return waitForResuming(from: start, generation) }
    if state.withLock({ $0.postpone(start, generation) }) { return }
    var place = start.place
    do throws(AppGroupsLogError) {
      if place == nil { place = try location.readablePlace }
      guard let opened = place, audience.isCurrent(generation) else { return }
      let consumer = try reading.consumer(in: opened)
      guard let (found, isSaved, lock) = try positions(from: start.ends, consumer, at: opened) else {
        if let consumer { noteRefusal(of: consumer) }
        return tryLater(from: start, generation, epoch)
      }
      let begun = audience.begin(from: found, isSaved: isSaved, at: opened.switchCount)
      let reader = LogReader(opened, from: begun) { [weak self] in self?.report($0) }
      state.withLock { state in
        state.run = Run(place: opened, reader: reader, generation: generation)
        state.hasBegun = true
      }
      if let consumer, let lock { try saver?.begin(consumer, lock) }
    } catch {
      if error.isAboutClosing {
        // The policy of the log asks for it.
        if !state.withLock({ exchange(&$0.isClosed, with: true) }) { failures.deliver(error) }
        return
      }
      if error.isAboutSuspension { return waitForResuming(from: start, generation) }
      // If the directory was removed, only a process that appends creates it again.
      if isGone(place) {
        return state.withLock { $0.missed = (start.again(), generation) }
      }
      // Another process may be about to remove the whole directory, and must not be hindered.
      if isRemovalLikely, error.isAboutNothingThere { return tryLater(from: start, generation, epoch) }
      if state.withLock({ exchange(&$0.obstacle, with: error) }) != error { failures.send(error) }
      if run == nil { return tryLater(from: start, generation, epoch) }
    }
    scan()
    drain()
  }

  /// Returns a Boolean value that indicates whether a log's directory is known to be missing.
  private func isGone(_ place: LogPlace?) -> Bool {
    tolerating(else: false) {
      if let place { return try !place.exists }
      return !location.isPerhapsThere
    }
  }

  /// Returns the positions to continue from, whether they are the saved ones of the consumer, and the lock that makes
  /// this the only consumer of its name.
  ///
  /// The result is `nil` if there is another consumer of that name.
  private func positions(
    from ends: [UUID: LogPosition], _ consumer: ConsumerPlace?, at place: LogPlace
  ) throws(AppGroupsLogError) -> (positions: [UUID: LogPosition], isSaved: Bool, lock: ConsumerLock?)? {
    guard let consumer else { return (ends, false, nil) }
    if !isRemovalLikely { try place.makeFolders() }
    guard let lock = try consumer.lock(creating: !isRemovalLikely) else { return nil }
    reportLoss(of: consumer)
    do throws(AppGroupsLogError) {
      let saved = try consumer.load()
      return (saved ?? ends, saved != nil, lock)
    } catch .unreadableCursor(let name, let url, let reason) {
      try consumer.removeStrayCursor()
      failures.send(.unreadableCursor(consumer: name, url, reason: reason))
      return ([:], false, lock)
    }
  }

  /// A Boolean value that indicates whether folders and a lock may be missing because the log is being removed.
  ///
  /// Then new files would hinder the removal, which may be slow. If it is not confirmed, they are created again about a
  /// second later.
  private var isRemovalLikely: Bool { state.withLock { $0.hasBegun && $0.pauses.failures < 6 } }

  var run: Run? { state.withLock { $0.run } }

  private func endRun() {
    // The files of the run are closed after the lock is released.
    state.replace { $0.run.take() }
  }

  private func waitForResuming(from start: Start, _ generation: Int) {
    state.withLock { $0.refused = (start.again(), generation) }
  }

  /// Delivers the events that were appended while the process was suspended.
  func continueReading() {
    scan()
    drain()
  }

  private func tryLater(from start: Start, _ generation: Int, _ epoch: Int) {
    guard let pause = state.withLock({ $0.pauses.next() }) else { return }
    queue.async(after: pause) { [weak self] in
      self?.tryToBegin(from: start, generation, epoch)
    }
  }

  /// Records that another process, or another object of this one, is the consumer, and reports it in time.
  private func noteRefusal(of consumer: ConsumerPlace) {
    let isDue = state.withLock { state in
      let now = DispatchTime.now()
      let refusal = state.refusal ?? (now + consumer.patience, false)
      let isDue = refusal.end <= now && !refusal.isReported
      state.refusal = (refusal.end, refusal.isReported || isDue)
      return isDue
    }
    if isDue { failures.send(consumer.inUse) }
  }

  /// Waits until this feed is the consumer, or is kept from reading by something other than another consumer.
  ///
  /// - Throws: ``AppGroupsLogError/consumerInUse(_:holder:)`` if another one keeps the name for too long.
  func waitForName() throws(AppGroupsLogError) {
    let isKnown = Backoff.exponential(from: .milliseconds(1), upTo: .milliseconds(20))
    let refusal = isKnown.repeating(within: .seconds(1 << 30)) { () -> Bool? in
      // The first attempt, or one that is under way.
      queue.sync {}
      return state.withLock { state in
        guard state.run == nil, let refusal = state.refusal else { return false }
        return refusal.isReported ? true : nil
      }
    }
    guard refusal == true, let name = reading.consumer else { return }
    throw try ConsumerPlace(name: name, place: location.readablePlace).inUse
  }

  private func endUnlessObserved() {
    guard audience.isEmpty, run != nil else { return }
    saver?.end(unlessReplaced: false)
    endRun()
    saver?.trimSoon()
  }

  func report(_ error: AppGroupsLogError) {
    // The events may have been acknowledged, and removed before they were read again.
    if case .missing(let producer, _, let next) = error, audience.withCursor({ $0.hasHandled(next - 1, of: producer) })
    {
      return
    }
    failures.send(error)
  }

  func reportLoss(of consumer: ConsumerPlace?) {
    do throws(AppGroupsLogError) {
      if let consumer, let loss = try consumer.takeLossNote() {
        failures.send(.snapshotNeeded(consumer: consumer.name, reason: loss))
      }
    } catch {
      failures.send(error)
    }
  }
}

import FileSignals
import Foundation
import Signals

/// Reading, on the queue: events arrive, and are delivered in order until the members have enough.
extension LogFeed {
  func receive(_ change: PathChange) {
    if change.isStructural, let missed = state.withLock({ $0.missed }) {
      return begin(from: missed.start, missed.generation)
    }
    guard let run else { return }
    var isStructural = change.isStructural
    for name in change.written where !run.reader.read({ $0.look(atSegment: name) }) { isStructural = true }
    if isStructural {
      // If the directory was removed, another process could become the same consumer.
      if isRemoved(run) {
        return begin(from: Start(place: nil, ends: audience.positions), run.generation)
      }
      reportLoss(of: saver?.lock == nil ? nil : saver?.consumer)
      scan()
    }
    drain()
  }

  /// Returns a Boolean value that indicates whether the consumer's lock or the log's directory was removed.
  private func isRemoved(_ run: Run) -> Bool {
    do throws(AppGroupsLogError) {
      if let lock = saver?.lock { return try !lock.isInPlace }
      return run.place.isAnchored ? try !run.place.exists : false
    } catch {
      report(error)
      return false
    }
  }

  func scan() {
    guard let run else { return }
    audience.know(run.reader.read { $0.scan() })
    for name in changes.follow(run.reader.read(\.tails)) { run.reader.read { _ = $0.look(atSegment: name) } }
  }

  /// Delivers the available events, until a loop has enough.
  func drain() {
    guard let run, !run.isStale else { return }
    reading: while audience.checkAppetite(run.generation) {
      guard let (producer, record, position) = run.reader.read({ $0.next() }) else { break }
      switch give(record, of: producer, position, run) {
      case .received: continue
      case .notReceived: return beginAgain(run.generation)
      case .leavingEvents(let generation): return readAgain(generation)
      case .postponed:
        run.reader.read { $0.putBack() }
        break reading
      }
    }
    // This includes the end of a segment. Without it, the last segment would never count as read.
    let (exhausted, isInDoubt, isBlocked) = run.reader.read { ($0.takeExhausted(), $0.isInDoubt, $0.isBlocked) }
    audience.withCursor { for (producer, position) in exhausted { $0.pass(position, of: producer) } }
    if isInDoubt { lookSoon() }
    if isBlocked { scanLater() }
    saver?.saveSoon()
  }

  /// Reads events again that no member was there to receive, so that the next one receives them.
  private func beginAgain(_ generation: Int) {
    let epoch = state.withLock { state in
      state.run?.isStale = true
      return state.epoch
    }
    queue.async { [self] in
      guard state.withLock({ $0.epoch }) == epoch else { return }
      begin(from: Start(place: run?.place, ends: audience.positions), generation)
    }
  }

  /// Delivers the events again that a departed member left unhandled, to the members of a new generation.
  func readAgain(_ generation: Int) {
    queue.async { [self] in
      guard audience.isCurrent(generation) else { return }
      guard let run else { return begin(from: Start(place: nil, ends: audience.positions), generation) }
      let reader = LogReader(run.place, from: audience.withCursor({ $0.rewind() })) { [weak self] in self?.report($0) }
      let next = Run(place: run.place, reader: reader, generation: generation)
      // The files of the old reader are closed after the lock is released.
      state.replace { exchange(&$0.run, with: next) }
      continueReading()
    }
  }

  /// Delivers the event of a record, if it is of interest.
  ///
  /// An event that is of no interest counts as received.
  private func give(
    _ record: LogRecord, of producer: UUID, _ position: LogPosition, _ run: Run
  ) -> LogAudience.Delivery {
    self.producer.clock.observe(record.time)
    let isWanted = reading.includesOwn || !self.producer.isThisProcess(producer)
    guard isWanted, !audience.withCursor({ $0.hasHandled(record.sequence, of: producer) }) else {
      audience.withCursor { $0.pass(position, of: producer) }
      return .received
    }
    let entry: DecodedEntry
    do {
      entry = try decoder.decode(record, producer, position, run.place.switchCount)
    } catch {
      let id = LogEventID(producer: producer, sequence: record.sequence)
      failures.send(.undecodable(id, location.url, reason: CodingReason.words(for: error)))
      audience.withCursor { $0.pass(position, of: producer) }
      return .received
    }
    let delivery = audience.give(entry, run.generation)
    // Also saved during the loop, because a slow subscriber may never reach its end.
    saver?.saveSoon()
    return delivery
  }

  /// Reads doubtful records again after a pause, for as long as there are any.
  private func lookSoon() {
    looks.request { [weak self] in
      guard let self else { return }
      run?.reader.read { $0.lookAgain() }
      drain()
    }
  }

  /// Reads unreadable segments again after a pause, for as long as there are any.
  private func scanLater() {
    scans.request { [weak self] in
      guard let self else { return }
      scan()
      if run?.reader.read(\.isBlocked) != true { scans.reset() }
      drain()
    }
  }
}

/// Reads the events of all producers for one feed, with a ``ProducerMerge`` that only one thread at a time uses.
final class LogReader: Sendable {
  private let merge: Guarded<ProducerMerge>
  private let report: @Sendable (AppGroupsLogError) -> Void

  /// Creates a reader that continues from given positions, and begins with the oldest event of every other producer.
  ///
  /// - Parameters:
  ///   - place: The log.
  ///   - positions: The position of each known producer.
  ///   - report: Called with each problem before a later event is returned.
  init(
    _ place: LogPlace, from positions: [UUID: LogPosition], report: @escaping @Sendable (AppGroupsLogError) -> Void
  ) {
    merge = Guarded(ProducerMerge(place, from: positions))
    self.report = report
  }

  /// Reads with a closure, and reports the problems with no lock held.
  @discardableResult
  func read<Result: Sendable>(_ body: (ProducerMerge) -> Result) -> Result {
    let (result, problems) = merge.withLock { (body($0), $0.takeProblems()) }
    problems.forEach(report)
    return result
  }
}

import Foundation

/// The progress through the segments of one producer: a machine without files, which is told what a reader has found,
/// and answers what to do next.
struct ProducerProgress {
  /// The action after a step of a reader.
  enum Action {
    case deliver(LogRecord)
    /// Read on in the same segment.
    case readOn
    /// Close the segment, and read on in the next one.
    case leave
    /// Close the segment, and read again later.
    case fail
    /// There is nothing more to read now.
    case wait
  }

  typealias Report = (AppGroupsLogError) -> Void

  let producer: UUID
  /// The position after the last record that was read or skipped.
  private(set) var position: LogPosition
  /// The segments that are known and not read.
  private(set) var segments: [UInt64] = []
  /// The reason why the next segment cannot be opened or read.
  private var obstacle: AppGroupsLogError?
  /// The number of times that the next record was found doubtful, and the size of the segment at that time.
  private var doubts = (count: 0, size: UInt64(0))
  /// A Boolean value that indicates whether it was found that no process writes the segment any more.
  private var isAbandoned = false
  /// The number of checks that have found nothing, in succession.
  private var vainChecks = 0
  /// A Boolean value that indicates whether the producer has ended, and all of its events were read.
  private(set) var isOver = false
  /// The position to stop at, or `nil` to read the segments to their end.
  private let limit: LogPosition?

  /// The number of times that a doubtful record at the end is read again, because its writing may not be finished.
  private static let maximumDoubts = 3

  init(_ producer: UUID, from position: LogPosition, upTo limit: LogPosition? = nil) {
    self.producer = producer
    self.position = position
    self.limit = limit
  }

  /// Updates the list of existing segments.
  mutating func update(_ segments: [UInt64]) {
    self.segments = segments.filter { $0 >= position.segment }
    // A producer that begins a segment releases the lock of the previous one first.
    if let last = segments.last, last > position.segment { isOver = false }
  }

  /// The segment to open.
  var segment: UInt64? { segments.first { $0 >= position.segment } }

  /// A Boolean value that indicates whether the last read bytes should be read again soon.
  var isInDoubt: Bool { (1..<Self.maximumDoubts).contains(doubts.count) }

  /// A Boolean value that indicates whether no notification announces when there is more to read.
  ///
  /// No file changes when its writer dies.
  var isBlocked: Bool { doubts.count >= Self.maximumDoubts || obstacle?.mayPassUnseen ?? false }

  /// A Boolean value that indicates whether everything before the limit was read, and damage there was reported.
  var isAtLimit: Bool {
    guard let limit, !limit.isAfter(position) else { return false }
    return position.isAfter(limit) || !limit.isBroken || position.isBroken
  }

  // MARK: Reading

  /// Begins to read on.
  mutating func begin() { isAbandoned = false }

  /// Returns what is known about the writing of a segment.
  func stage(of segment: UInt64) -> SegmentReader.Stage {
    // A later segment was listed before this one was read to its end, so nothing can be appended here any more.
    if isAbandoned || next(after: segment) != nil { return .sealed }
    // The bytes before a limit have been read before.
    if limit != nil { return .settled }
    // After reported damage, only the records that follow it matter.
    return position.isBroken || doubts.count >= Self.maximumDoubts ? .settled : .growing
  }

  /// Decides what a step means.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - segment: The segment.
  ///   - url: The file of the segment.
  ///   - isCheck: A Boolean value that indicates whether to ignore the beginning of a record, without any doubt.
  ///   - isUnwritten: A closure that finds out whether no process writes the segment.
  ///   - report: Receives each error.
  /// - Returns: What to do next.
  mutating func take(
    _ step: SegmentReader.Step, of segment: UInt64, at url: URL, isCheck: Bool, isUnwritten: () -> Bool,
    _ report: Report
  ) -> Action {
    if case .failed(let error) = step {
      block(error, report)
      return .fail
    }
    obstacle = nil
    if case .doubtful(let size) = step {
      if isCheck { return .wait }
      // Check for a writer first, and then read: in the other order, its last record could be missed.
      isAbandoned = isUnwritten()
      if isAbandoned { return .readOn }
      doubts = size == doubts.size ? (doubts.count + 1, size) : (1, size)
      return .wait
    }
    doubts.count = 0
    switch step {
    case .record(let record):
      position.offset = record.end
      // A copy of an older segment contains no new events.
      guard record.sequence > position.sequence else { return .readOn }
      position.sequence = record.sequence
      position.isBroken = false
      return .deliver(record)
    case .damaged(let damage):
      if !position.isBroken { report(.damaged(url, damage)) }
      position.isBroken = damage.next == nil
      if let next = damage.next {
        position.offset = damage.bytes.upperBound
        position.sequence = max(position.sequence, next - 1)
        return .readOn
      }
      if let next = next(after: segment) ?? (isAbandoned ? segment + 1 : nil) { return leave(for: next) }
      // While the producer lives, its next event shows where the segment goes on.
      isAbandoned = isUnwritten()
      return isAbandoned ? .readOn : .wait
    case .end, .doubtful, .failed: return next(after: segment).map { leave(for: $0) } ?? .wait
    }
  }

  /// Begins with a segment that was opened, and reports if events before it are missing.
  mutating func enter(_ segment: UInt64, firstSequence: UInt64, _ report: Report) {
    if segment == position.segment, position.offset > 0 { return }
    if position != .beginning, !position.isBroken, firstSequence > position.sequence + 1 {
      report(.missing(producer: producer, after: position.sequence, before: firstSequence))
    }
    // The events before it are lost, or never had to be read.
    position = LogPosition(
      segment: segment, offset: UInt64(SegmentHeader.size), sequence: max(position.sequence, firstSequence - 1))
  }

  /// Goes on after a segment could not be opened.
  ///
  /// - Returns: A Boolean value that indicates whether to open the next one.
  mutating func pass(_ segment: UInt64, because error: AppGroupsLogError, _ report: Report) -> Bool {
    if error.isAboutNothingThere {
      // It was trimmed, or removed by hand; the next one shows whether events are missing.
      segments.removeAll { $0 == segment }
    } else if case .damaged = error {
      report(error)
      position.isBroken = true
      _ = leave(for: segment + 1)
    } else {
      block(error, report)
      return false
    }
    return true
  }

  /// Records that there is no segment to open.
  mutating func noteEnd() { obstacle = nil }

  private func next(after segment: UInt64) -> UInt64? { segments.first { $0 > segment } }

  private mutating func leave(for next: UInt64) -> Action {
    doubts.count = 0
    position.segment = next
    position.offset = 0
    segments.removeAll { $0 < next }
    return .leave
  }

  /// Waits until the segment becomes readable, which is reported once.
  private mutating func block(_ error: AppGroupsLogError, _ report: Report) {
    if error != obstacle { report(error) }
    obstacle = error
  }

  // MARK: Ends

  /// Counts a check for more.
  ///
  /// - Parameter hasFound: A Boolean value that indicates whether there was more.
  /// - Returns: A Boolean value that indicates whether to find out if the producer has ended: after the first check in
  ///   vain, and then after ever more.
  mutating func noteCheck(hasFound: Bool) -> Bool {
    vainChecks = hasFound ? 0 : vainChecks + 1
    return vainChecks.nonzeroBitCount == 1 && vainChecks.trailingZeroBitCount.isMultiple(of: 4)
  }

  /// Records that the producer had ended before the last check found nothing.
  mutating func noteProducerEnd() { isOver = doubts.count == 0 }

  /// Reports the events before the limit that were removed during the reading.
  func reportMissingEnd(_ report: Report) {
    guard let limit, limit.sequence > position.sequence, !position.isBroken, obstacle == nil else { return }
    report(.missing(producer: producer, after: position.sequence, before: limit.sequence + 1))
  }
}

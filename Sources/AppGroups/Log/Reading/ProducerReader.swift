import CLibrary
import FileSignals
import Foundation
import Signals

/// Reads the events of one producer, segment after segment.
final class ProducerReader {
  let producer: UUID
  /// The position after the last record that was read or skipped.
  private(set) var position: LogPosition
  /// The record to be delivered next.
  private(set) var head: LogRecord?
  /// A Boolean value that indicates whether the reader is in the heap of readers with a head.
  var isListed = false
  /// A Boolean value that indicates whether the reader is in the list of readers with an open file.
  var isCounted = false
  /// A Boolean value that indicates whether the last listing contained a segment of the producer.
  var hasSegments = true
  /// The number of the last read of any reader when the head was read; ``ProducerMerge`` counts.
  var stamp: UInt64 = 0
  /// A Boolean value that indicates whether the file was read for a head that has no stamp yet.
  private var isFresh = false
  /// A Boolean value that indicates whether the producer has ended, and all of its events were read.
  private(set) var isOver = false
  /// The number of times that ``checkForMore(report:)`` has found nothing.
  private var vainChecks = 0
  private let place: LogPlace
  /// The position to stop at, or `nil` to read the segments to their end.
  private let limit: LogPosition?
  private var segments: [UInt64] = []
  private var reader: SegmentReader?
  /// The number of times that the next record was found doubtful, and the size of the segment at that time.
  private var doubts = (count: 0, size: UInt64(0))
  /// The reason why the next segment cannot be opened or read.
  private var obstacle: AppGroupsLogError?

  /// The number of times that a doubtful record at the end is read again, because its writing may not be
  /// finished.
  private static let maximumDoubts = 3

  init(_ producer: UUID, in place: LogPlace, from position: LogPosition, upTo limit: LogPosition? = nil) {
    self.producer = producer
    self.place = place
    self.position = position
    self.limit = limit
  }

  /// Updates the list of existing segments.
  func update(_ segments: [UInt64]) {
    self.segments = segments.filter { $0 >= position.segment }
    // A producer that begins a segment releases the lock of the previous one first.
    if let last = segments.last, last > position.segment { isOver = false }
  }

  /// A Boolean value that indicates whether no segment is left, so that the producer's position may be forgotten.
  var isGone: Bool { segments.isEmpty && head == nil }

  /// A Boolean value that indicates whether a file is open.
  var isOpen: Bool { reader != nil }

  /// A Boolean value that indicates whether the open file will not grow any more, because no process writes it.
  var isFinal: Bool { reader?.isAbandoned ?? false }

  /// A Boolean value that indicates whether the last read bytes should be read again soon.
  var isInDoubt: Bool { (1..<Self.maximumDoubts).contains(doubts.count) }

  /// A Boolean value that indicates whether no notification announces when there is more to read.
  ///
  /// No file changes when its writer dies.
  var isBlocked: Bool { doubts.count >= Self.maximumDoubts || obstacle?.mayPassUnseen ?? false }

  /// Closes the file, which is opened again when there is more to read.
  func close() {
    reader = nil
  }

  /// Reads on until there is a head, or until there is nothing more to read.
  ///
  /// - Parameters:
  ///   - isCheck: A Boolean value that indicates whether to ignore the beginning of a record, without any doubt.
  ///   - report: Receives each error.
  func advance(isCheck: Bool = false, report: (AppGroupsLogError) -> Void) {
    head = nil
    var isAbandoned = false
    while !isAtLimit {
      guard let reader = reader ?? open(report) else { return }
      // A later segment was listed before this one was read to its end, so nothing can be appended here any more.
      let next = segments.first { $0 > reader.id.index }
      let step = reader.next(next != nil || isAbandoned ? .sealed : stage)
      if case .failed(let error) = step {
        self.reader = nil
        return block(error, report)
      }
      obstacle = nil
      if case .doubtful = step {
        if isCheck { return }
      } else {
        doubts.count = 0
      }
      switch step {
      case .record(let record):
        position.offset = record.end
        // A copy of an older segment contains no new events.
        guard record.sequence > position.sequence else { continue }
        position.sequence = record.sequence
        position.isBroken = false
        head = record
        if reader.hasRead {
          reader.hasRead = false
          isFresh = true
        }
        return
      case .end:
        guard let next else { return }
        leave(for: next)
      case .doubtful(let size):
        // Check for a writer first, and then read: in the other order, its last record could be missed.
        isAbandoned = reader.isAbandoned
        if isAbandoned { continue }
        doubts = size == doubts.size ? (doubts.count + 1, size) : (1, size)
        return
      case .damaged(let damage):
        if !position.isBroken { report(.damaged(reader.url, damage)) }
        position.isBroken = !damage.isPassed
        if damage.isPassed {
          position.offset = reader.offset
          position.sequence = max(position.sequence, reader.nextSequence - 1)
        } else if next != nil || isAbandoned {
          leave(for: next ?? reader.id.index + 1)
        } else {
          // While the producer lives, its next event shows where the segment goes on.
          isAbandoned = reader.isAbandoned
          if !isAbandoned { return }
        }
      case .failed: break
      }
    }
  }

  // MARK: Causes

  /// Returns a Boolean value that indicates whether the file was read since the last call.
  func takeFreshness() -> Bool { exchange(&isFresh, with: false) }

  /// Reads on if the file has grown since its end was reached.
  ///
  /// Of a producer that has ended, this finds out sooner or later, and sets ``isOver``.
  ///
  /// - Parameter report: Receives each error.
  func checkForMore(report: (AppGroupsLogError) -> Void) {
    if hasGrown { advance(isCheck: true, report: report) }
    guard head == nil else { return vainChecks = 0 }
    vainChecks += 1
    // After the first check, and then after ever more.
    let isDue = vainChecks.nonzeroBitCount == 1 && vainChecks.trailingZeroBitCount.isMultiple(of: 4)
    guard isDue, isAbandoned else { return }
    // Its last events may have been appended after the check.
    if hasGrown { advance(isCheck: true, report: report) }
    isOver = head == nil && doubts.count == 0
  }

  /// A Boolean value that indicates whether there may be more to read.
  private var hasGrown: Bool {
    if isOpen { return true }
    guard let index = segments.first(where: { $0 >= position.segment }) else { return false }
    if index > position.segment { return true }
    let path = place.path(of: SegmentID(producer: producer, index: index))
    guard let status = FileStatus.ifReadable(path: path, relativeTo: place.base, followsLinks: false) else {
      // Reading it gives the reason, unless it was removed.
      return errno != ENOENT && errno != ENOTDIR
    }
    return UInt64(status.size) > position.offset
  }

  /// A Boolean value that indicates whether no process writes the last known segment.
  private var isAbandoned: Bool {
    if let reader { return reader.isAbandoned }
    guard let last = segments.last else { return true }
    let id = SegmentID(producer: producer, index: last)
    return FileLock(place.path(of: id), in: place.base, .reading, of: place.url(of: id))?.isAbandoned ?? false
  }

  /// A Boolean value that indicates whether everything before the limit was read, and damage there was reported.
  private var isAtLimit: Bool {
    guard let limit, !limit.isAfter(position) else { return false }
    return position.isAfter(limit) || !limit.isBroken || position.isBroken
  }

  /// Reports the events before the limit that were removed during the reading.
  func reportMissingEnd(report: (AppGroupsLogError) -> Void) {
    guard let limit, limit.sequence > position.sequence, !position.isBroken, obstacle == nil else { return }
    report(.missing(producer: producer, after: position.sequence, before: limit.sequence + 1))
  }

  /// The caller's knowledge about the writing of the last segment.
  private var stage: SegmentReader.Stage {
    // The bytes before a limit have been read before.
    if limit != nil { return .settled }
    // After reported damage, only the records that follow it matter.
    return position.isBroken || doubts.count >= Self.maximumDoubts ? .settled : .growing
  }

  private func leave(for next: UInt64) {
    reader = nil
    doubts.count = 0
    position.segment = next
    position.offset = 0
    segments.removeAll { $0 < next }
  }

  /// Opens the segment to continue in, if one exists.
  private func open(_ report: (AppGroupsLogError) -> Void) -> SegmentReader? {
    while let index = segments.first(where: { $0 >= position.segment }) {
      let id = SegmentID(producer: producer, index: index)
      do throws(AppGroupsLogError) {
        let opened = try SegmentReader(id, in: place, from: position)
        if index != position.segment || position.offset == 0 { enter(opened, report) }
        reader = opened
        return opened
      } catch let error where error.isAboutNothingThere {
        // The segment was trimmed, or removed by hand; the next one shows whether events are missing.
        segments.removeAll { $0 == index }
      } catch .damaged(let url, let bytes, let lostEvents, let reason) {
        report(.damaged(url, bytes: bytes, lostEvents: lostEvents, reason: reason))
        position.isBroken = true
        leave(for: index + 1)
      } catch {
        block(error, report)
        return nil
      }
    }
    obstacle = nil
    return nil
  }

  /// Waits until the segment becomes readable, which is reported once.
  private func block(_ error: AppGroupsLogError, _ report: (AppGroupsLogError) -> Void) {
    if error != obstacle { report(error) }
    obstacle = error
  }

  /// Begins with a segment, and reports if events before it are missing.
  private func enter(_ reader: SegmentReader, _ report: (AppGroupsLogError) -> Void) {
    if position != .beginning, !position.isBroken, reader.firstSequence > position.sequence + 1 {
      report(.missing(producer: producer, after: position.sequence, before: reader.firstSequence))
    }
    // The events before it are lost, or never had to be read.
    position = LogPosition(
      segment: reader.id.index, offset: UInt64(SegmentHeader.size),
      sequence: max(position.sequence, reader.firstSequence - 1))
  }
}

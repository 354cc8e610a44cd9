import Foundation
import Signals

/// Reads what all producers have appended: of each in order, and of those that wait at the same time the oldest first.
final class LogReader: Sendable {
  private let merge: Guarded<ProducerMerge>
  private let report: @Sendable (AppGroupsLogError) -> Void

  /// Makes a reader that goes on from some positions, and begins with the oldest event of every other producer.
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

  /// Lists the segments and looks at each; to be called after the directory is watched, and when files come or go.
  ///
  /// - Returns: The producers that have segments.
  @discardableResult
  func scan() -> Set<UUID> {
    let (producers, problems) = merge.withLock { ($0.scan(), $0.takeProblems()) }
    problems.forEach(report)
    return producers
  }

  /// Looks at a segment into which something was written.
  ///
  /// - Returns: Whether the segment is known.
  func look(atSegment name: String) -> Bool {
    let (isKnown, problems) = merge.withLock { ($0.look(atSegment: name), $0.takeProblems()) }
    problems.forEach(report)
    return isKnown
  }

  /// Looks again at what could not be trusted.
  func lookAgain() {
    let problems = merge.withLock {
      $0.lookAgain()
      return $0.takeProblems()
    }
    problems.forEach(report)
  }

  /// Returns the next record of all, and the position of its producer after it.
  func next() -> (producer: UUID, record: LogRecord, position: LogPosition)? {
    let (next, problems) = merge.withLock { ($0.next(), $0.takeProblems()) }
    problems.forEach(report)
    return next
  }

  /// The last segment of each producer, into which it may write.
  var tails: Set<String> { merge.withLock { $0.tails } }

  /// A Boolean value that indicates whether there is something to look at again soon.
  var isInDoubt: Bool { merge.withLock { $0.isInDoubt } }

  /// A Boolean value that indicates whether something cannot be read at the moment, and no event tells when it can.
  ///
  /// ``scan()`` tries again.
  var isBlocked: Bool { merge.withLock { $0.isBlocked } }

  /// Returns the positions of the producers that were read to their end since the last call.
  func takeExhausted() -> [(producer: UUID, position: LogPosition)] { merge.withLock { $0.takeExhausted() } }

  /// Where each producer's log ends now.
  static func ends(of place: LogPlace) -> [UUID: LogPosition] {
    do throws(AppGroupsLogError) {
      return try readableEnds(of: place).compactMapValues { $0 }
    } catch {
      // It will be told when the log is read.
      return [:]
    }
  }

  /// Where each producer's log ends now; the last segment's end, whatever that is, if it cannot be read.
  static func limits(of place: LogPlace) throws(AppGroupsLogError) -> [UUID: LogPosition] {
    try readableEnds(of: place).mapValues { $0 ?? .end }
  }

  private static func readableEnds(of place: LogPlace) throws(AppGroupsLogError) -> [UUID: LogPosition?] {
    var ends: [UUID: LogPosition?] = [:]
    for (producer, indices) in try SegmentListing.segments(in: place) {
      guard let last = indices.last else { continue }
      ends[producer] = .some(end(of: SegmentID(producer: producer, index: last), in: place))
    }
    return ends
  }

  private static func end(of id: SegmentID, in place: LogPlace) -> LogPosition? {
    do throws(AppGroupsLogError) {
      let reader = try SegmentReader(id, in: place, from: .beginning)
      var sequence = reader.firstSequence - 1
      while true {
        switch reader.nextAtOnce() {
        case .record(let record): sequence = record.sequence
        case .end, .doubtful: return LogPosition(segment: id.index, offset: reader.offset, sequence: sequence)
        case .damaged(let damage) where damage.isPassed: sequence = reader.nextSequence - 1
        case .damaged:
          return LogPosition(segment: id.index, offset: reader.offset, sequence: sequence, isBroken: true)
        }
      }
    } catch {
      return nil
    }
  }
}

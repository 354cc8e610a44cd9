import Foundation
import Signals

/// Reads the events of all producers: each producer's in order, and among waiting events, the oldest first.
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

  /// Lists the segments and reads on in each of them.
  ///
  /// Call it after the directory is observed, and when files appear or disappear.
  ///
  /// - Returns: The producers that have segments.
  @discardableResult
  func scan() -> Set<UUID> {
    read { $0.scan() }
  }

  /// Reads on in a segment that has been written to.
  ///
  /// - Returns: A Boolean value that indicates whether the segment is known.
  func look(atSegment name: String) -> Bool {
    read { $0.look(atSegment: name) }
  }

  /// Reads the doubtful records again.
  func lookAgain() { read { $0.lookAgain() } }

  /// Returns the next record of all producers, and the position of its producer after it.
  func next() -> (producer: UUID, record: LogRecord, position: LogPosition)? {
    read { $0.next() }
  }

  /// Reads, and reports the problems with no lock held.
  private func read<Result: Sendable>(_ body: (ProducerMerge) -> Result) -> Result {
    let (result, problems) = merge.withLock { (body($0), $0.takeProblems()) }
    problems.forEach(report)
    return result
  }

  /// Returns the last record to the reader, so that ``next()`` returns it again unless it finds a cause of it.
  ///
  /// Nothing may have been read in between.
  func putBack() { merge.withLock { $0.putBack() } }

  /// The file names of each producer's last segment, to which it may still append.
  var tails: Set<String> { merge.withLock { $0.tails } }

  /// A Boolean value that indicates whether a doubtful record should be read again soon.
  var isInDoubt: Bool { merge.withLock { $0.isInDoubt } }

  /// A Boolean value that indicates whether a file cannot be read at the moment, and no notification announces when it
  /// can.
  ///
  /// ``scan()`` tries again.
  var isBlocked: Bool { merge.withLock { $0.isBlocked } }

  /// Returns the positions of the producers that were read to their end since the last call.
  func takeExhausted() -> [(producer: UUID, position: LogPosition)] { merge.withLock { $0.takeExhausted() } }

  /// Returns the current end of each producer's log.
  static func ends(of place: LogPlace) -> [UUID: LogPosition] {
    do throws(AppGroupsLogError) {
      return try LogEnd.all(in: place).compactMapValues(\.?.position)
    } catch {
      // The error is reported when the log is read.
      return [:]
    }
  }
}

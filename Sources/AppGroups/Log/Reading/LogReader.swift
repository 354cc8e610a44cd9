import Foundation
import Signals

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

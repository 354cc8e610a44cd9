import Signals

/// Checks the values that one observer of a ``Sealed`` value receives, and reports breaches and expected values.
///
/// Reports are lines, so that a follower in another process can send them: `breach …` if a value is not whole or
/// follows a newer one, `reached EPOCH COUNT` for a value requested with ``expect(epoch:count:)``.
public final class Follower: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var last: Sealed?  // Sound: guarded by the lock, as are the next two.
  private nonisolated(unsafe) var expected: (epoch: Int, count: Int)?
  private nonisolated(unsafe) var isLawful = true
  private let report: @Sendable (String) -> Void

  /// Creates a follower that calls `report` on any thread.
  public init(report: @escaping @Sendable (String) -> Void) {
    self.report = report
  }

  /// Checks a value that the observer received.
  public func take(_ value: Sealed) {
    let reports = lock.withLock {
      var reports: [String] = []
      if !value.isWhole { reports.append("breach not whole: \(value)") }
      if isLawful, let last, !value.follows(last) { reports.append("breach \(value) after \(last)") }
      if isLawful, last == value { reports.append("breach twice \(value)") }
      last = value
      return reports + reached()
    }
    for line in reports { report(line) }
  }

  /// Requests a report as soon as the last value has this epoch and count.
  public func expect(epoch: Int, count: Int) {
    let reports = lock.withLock {
      expected = (epoch, count)
      return reached()
    }
    for line in reports { report(line) }
  }

  /// Sets whether values may go back from now on, because a process without the lock writes older ones.
  public func setLawful(_ isLawful: Bool) {
    lock.withLock { self.isLawful = isLawful }
  }

  private func reached() -> [String] {
    guard let expected, let last, (last.epoch, last.count) == expected else { return [] }
    self.expected = nil
    return ["reached \(expected.epoch) \(expected.count)"]
  }
}

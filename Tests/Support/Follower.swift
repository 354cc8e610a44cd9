import Signals

/// Checks what one observer of a ``Sealed`` value is given, and reports what it was told to look out for.
///
/// Reports are lines, so that a follower in another process can send them: `breach …` if a value is not whole or comes
/// after a newer one, `reached EPOCH COUNT` for what ``expect(epoch:count:)`` asked for.
public final class Follower: Sendable {
  private let lock = Lock()
  private nonisolated(unsafe) var last: Sealed?  // Sound: guarded by the lock, as are the next two.
  private nonisolated(unsafe) var expected: (epoch: Int, count: Int)?
  private nonisolated(unsafe) var isLawful = true
  private let report: @Sendable (String) -> Void

  /// Makes a follower; `report` is called on any thread.
  public init(report: @escaping @Sendable (String) -> Void) {
    self.report = report
  }

  /// Takes what the observer was given.
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

  /// Has it reported once that a value of this epoch and count is the last one given.
  public func expect(epoch: Int, count: Int) {
    let reports = lock.withLock {
      expected = (epoch, count)
      return reached()
    }
    for line in reports { report(line) }
  }

  /// Says whether values may go back from now on, because somebody who knows no lock puts older ones in place.
  public func setLawful(_ isLawful: Bool) {
    lock.withLock { self.isLawful = isLawful }
  }

  private func reached() -> [String] {
    guard let expected, let last, (last.epoch, last.count) == expected else { return [] }
    self.expected = nil
    return ["reached \(expected.epoch) \(expected.count)"]
  }
}

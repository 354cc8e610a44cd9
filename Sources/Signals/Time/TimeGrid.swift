/// Instants at equal intervals, without drift.
@usableFromInline
struct TimeGrid<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
  @usableFromInline let start: Instant
  private let interval: Duration

  /// Creates a grid.
  ///
  /// An interval that is not positive counts as the shortest one, a nanosecond.
  @usableFromInline
  init(start: Instant, interval: Duration) {
    self.start = start
    self.interval = max(interval, .nanoseconds(1))
  }

  /// Returns the first instant of the grid after a given one; missed instants are skipped.
  @usableFromInline
  func next(after instant: Instant) -> Instant {
    let passed = start.duration(to: instant)
    guard passed >= .zero else { return start.advanced(by: interval) }
    let step = interval.attoseconds
    return start.advanced(by: Duration(attoseconds: (passed.attoseconds / step + 1) * step))
  }
}

/// Moments at equal distances, none of which drifts.
@usableFromInline
struct TimeGrid<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
  private let start: Instant
  private let interval: Duration

  /// An interval that is not positive counts as the shortest there is, a nanosecond.
  @usableFromInline
  init(start: Instant, interval: Duration) {
    self.start = start
    self.interval = max(interval, .nanoseconds(1))
  }

  /// The first moment after another; of those that have been missed, nothing remains.
  @usableFromInline
  func next(after instant: Instant) -> Instant {
    let passed = start.duration(to: instant)
    guard passed >= .zero else { return start.advanced(by: interval) }
    let step = interval.attoseconds
    return start.advanced(by: Duration(attoseconds: (passed.attoseconds / step + 1) * step))
  }
}

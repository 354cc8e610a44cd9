/// Counts changes over the last second and the last minute.
struct RateCounter {
  private var total = 0

  /// The counts of the last 60 seconds, by the number of the second.
  private var seconds: [Int: Int] = [:]
  private var recent: [(time: ContinuousClock.Instant, count: Int)] = []
  private static let origin = ContinuousClock.now

  /// Counts changes at a moment.
  mutating func add(_ count: Int, at now: ContinuousClock.Instant) {
    seconds[Self.second(of: now), default: 0] += count
    recent.append((now, count))
    forget(now)
  }

  private mutating func forget(_ now: ContinuousClock.Instant) {
    let second = Self.second(of: now)
    if seconds.count > 61 { seconds = seconds.filter { $0.key > second - 60 } }
    recent.removeAll { $0.time.duration(to: now) > .seconds(1) }
  }

  /// Returns the rates at a moment, or `nil` if nothing changed in the last minute.
  mutating func rate(at now: ContinuousClock.Instant) -> InspectedResource.Rate? {
    forget(now)
    let second = Self.second(of: now)
    let minute = seconds.reduce(0) { $1.key > second - 60 ? $0 + $1.value : $0 }
    guard minute > 0 else { return nil }
    let last = recent.reduce(0) { $0 + $1.count }
    return InspectedResource.Rate(perSecond: Double(last), perSecondInMinute: (Double(minute) / 60 * 10).rounded() / 10)
  }

  private static func second(of time: ContinuousClock.Instant) -> Int {
    Int(origin.duration(to: time).components.seconds)
  }
}

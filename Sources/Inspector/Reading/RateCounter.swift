/// Counts changes over the last second and the last minute.
struct RateCounter {
  private var total = 0

  /// The counts of the last 60 seconds, by the number of the second.
  private var seconds: [Int: Int] = [:]
  private var recent: [(time: ContinuousClock.Instant, count: Int)] = []
  private static let origin = ContinuousClock.now

  /// Counts changes at a moment.
  mutating func add(_ count: Int, at now: ContinuousClock.Instant) {
    let second = Self.second(of: now)
    seconds[second] = seconds[second, default: 0].addingSaturated(count)
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
    let minute = seconds.lazy.filter { $0.key > second - 60 }.map(\.value).saturatedSum
    guard minute > 0 else { return nil }
    let last = recent.lazy.map(\.count).saturatedSum
    return InspectedResource.Rate(perSecond: Double(last), perSecondInMinute: (Double(minute) / 60 * 10).rounded() / 10)
  }

  private static func second(of time: ContinuousClock.Instant) -> Int {
    Int(origin.duration(to: time).components.seconds)
  }
}

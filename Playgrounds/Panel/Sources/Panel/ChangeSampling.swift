import Inspector

/// A limit for the changes of a stream: ten per second for each resource, and 250 per second for all of them together.
///
/// The last change of a resource is always sent, at the latest when the others allow it. Those before it are counted.
struct ChangeSampling {
  private struct Entry {
    var next: ContinuousClock.Instant
    var held: InspectorChange?
  }

  private var entries: [String: Entry] = [:]

  /// The changes that may be sent now, and the time for which that was computed.
  private var budget = Self.burst
  private var time = ContinuousClock.now

  /// The changes that were left out since the last gap.
  private var gap: GapEvent?
  private var nextGap = ContinuousClock.now

  static let pause = Duration.milliseconds(100)
  private static let rate = 250.0
  private static let burst = 250.0

  /// A Boolean value that indicates whether ``due(at:)`` or ``takeGap(at:)`` has something to do later.
  var isHolding: Bool { !entries.isEmpty || gap != nil }

  /// Adds a change.
  ///
  /// - Returns: The change if it may be sent at once; otherwise `nil`.
  mutating func add(_ change: InspectorChange, at now: ContinuousClock.Instant) -> InspectorChange? {
    refill(now)
    let entry = entries[change.resource]
    // Where a resource comes or goes, the changes before and after are not the same.
    let isAllowed = entry.map { now >= $0.next || change.operation == .insert || change.operation == .delete } ?? true
    if let held = entry?.held { skip(held) }
    if isAllowed, budget >= 1 {
      budget -= 1
      entries[change.resource] = Entry(next: now + Self.pause)
      return change
    }
    entries[change.resource] = Entry(next: entry?.next ?? now, held: change)
    return nil
  }

  /// Returns the held changes that may be sent now, in their order.
  mutating func due(at now: ContinuousClock.Instant) -> [InspectorChange] {
    refill(now)
    var due: [InspectorChange] = []
    for (resource, entry) in entries where now >= entry.next {
      guard let held = entry.held else {
        entries[resource] = nil
        continue
      }
      guard budget >= 1 else { continue }
      budget -= 1
      due.append(held)
      entries[resource] = Entry(next: now + Self.pause)
    }
    return due.sorted { (Int($0.sequence) ?? 0) < (Int($1.sequence) ?? 0) }
  }

  /// Returns the changes that were left out, at most ten times a second.
  mutating func takeGap(at now: ContinuousClock.Instant) -> GapEvent? {
    guard now >= nextGap, let gap else { return nil }
    nextGap = now + Self.pause
    self.gap = nil
    return gap
  }

  private mutating func skip(_ change: InspectorChange) {
    if gap == nil {
      gap = GapEvent(from: change.sequence, to: change.sequence, skipped: change.count, reason: "sampled")
    } else {
      gap?.to = change.sequence
      gap?.skipped += change.count
    }
  }

  private mutating func refill(_ now: ContinuousClock.Instant) {
    budget = min(Self.burst, budget + (now - time) / .seconds(1) * Self.rate)
    time = now
  }
}

import SignalsTesting

/// A clock that can only be slept on, as those of the standard library, in virtual time.
struct PlainClock: Clock {
  let base = TestClock()

  var now: TestClock.Instant { base.now }

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

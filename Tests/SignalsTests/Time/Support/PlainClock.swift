import SignalsTesting

/// A clock in virtual time that supports only sleeping, like the clocks of the standard library.
struct PlainClock: Clock {
  let base = TestClock()

  var now: TestClock.Instant { base.now }

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

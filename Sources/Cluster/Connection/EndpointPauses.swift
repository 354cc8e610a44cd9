import Signals

/// The pauses between attempts at several endpoints.
///
/// There is none until each endpoint has failed once, and a growing one after each round.
struct EndpointPauses: Sendable {
  private let count: Int
  private var failures = 0
  private var pauses: Backoff.Pauses

  init(_ backoff: Backoff, endpoints count: Int) {
    self.count = count
    pauses = backoff.pauses()
  }

  /// Counts a failed attempt, and returns the pause before the next one.
  mutating func next() -> Duration {
    failures += 1
    // A backoff with a limit repeats its longest pause.
    return failures % count == 0 ? pauses.next() ?? .seconds(5) : .zero
  }

  /// Starts over after a successful attempt.
  mutating func reset() {
    failures = 0
    pauses.reset()
  }
}

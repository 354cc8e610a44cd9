import Signals
import Testing

@Suite struct `A backoff` {
  @Test func `doubles its pauses up to the longest one`() {
    let backoff = Backoff.exponential(from: .seconds(1), upTo: .seconds(30))
    let pauses = (1...7).map { backoff.pause(after: $0) }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
  }

  @Test func `stays at the longest pause after any number of failures`() {
    let backoff = Backoff.exponential(from: .milliseconds(1), upTo: .seconds(60), factor: 10)
    for failures in [10, 1_000, 1_000_000, Int.max] { #expect(backoff.pause(after: failures) == .seconds(60)) }
  }

  @Test func `makes no pause after any number of failures if the first one is zero`() {
    let backoff = Backoff.exponential(from: .zero, upTo: .seconds(60))
    for failures in [1, 10, 2_000, Int.max] { #expect(backoff.pause(after: failures) == .zero) }
  }

  @Test func `stops after its limit, and starts over after a success`() {
    var pauses = Backoff.exponential(from: .milliseconds(10), upTo: .seconds(1), factor: 5, limit: 3).pauses()
    for _ in 1...2 {
      #expect([pauses.next(), pauses.next(), pauses.next()] == [10, 50, 250].map { .milliseconds($0) })
      #expect(pauses.next() == nil)
      #expect(pauses.next() == nil)
      pauses.reset()
    }
  }

  @Test func `repeats a constant pause`() {
    let backoff = Backoff.constant(.seconds(3), limit: 2)
    #expect((1...3).map { backoff.pause(after: $0) } == [.seconds(3), .seconds(3), nil])
  }

  @Test func `varies a pause by no more than its jitter`() {
    let backoff = Backoff.constant(.seconds(10), jitter: 0.2)
    #expect(backoff.pause(after: 1, chance: 0) == .seconds(8))
    #expect(backoff.pause(after: 1, chance: 0.5) == .seconds(10))
    #expect(backoff.pause(after: 1, chance: 1) == .seconds(12))
    for _ in 0..<1_000 {
      let pause = backoff.pause(after: 1) ?? .zero
      #expect(pause >= .seconds(8) && pause <= .seconds(12))
    }
  }

  @Test func `never starts with more than the longest pause`() {
    #expect(Backoff.exponential(from: .seconds(9), upTo: .seconds(5)).pause(after: 1) == .seconds(5))
  }

  @Test func `stops with an explanation if a parameter makes no sense`() async {
    let jitter = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Backoff.constant(.seconds(1), jitter: 3)
    }
    #expect(explanation(jitter).contains("jitter must lie between 0 and 1, not 3"))
    let factor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Backoff.exponential(from: .seconds(1), upTo: .seconds(9), factor: 0.5)
    }
    #expect(explanation(factor).contains("factor must be at least 1, not 0.5"))
    await #expect(processExitsWith: .failure) { _ = Backoff.constant(.seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = Backoff.constant(.seconds(1), limit: -1) }
  }
}

/// The text that a process wrote before it stopped.
private func explanation(_ result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

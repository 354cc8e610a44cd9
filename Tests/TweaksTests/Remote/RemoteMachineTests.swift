import Foundation
import Signals
import TestSupport
import Testing
@testable import Tweaks

@Suite("Requests of a remote provider")
struct RemoteMachineTests {
  // MARK: Start

  @Test
  func `cached values are shown at the start and count as cached until the server confirms them`() {
    var bench = RemoteBench()
    bench.start(bench.cached(1))
    #expect(bench.shown == [1])
    #expect(bench.state == .ready)
    #expect(bench.origin == .cache)
    #expect(bench.requests.isEmpty)
    bench.advance(by: .seconds(10))
    #expect(bench.requests == [TweakRequest(context: RemoteBench.anna.context, etag: "e")])
    bench.handle(.answered(flight: bench.flight, .success(.notModified), retryAfter: nil))
    #expect(bench.origin == .network)
    #expect(bench.shown == [1])
  }

  @Test
  func `without cached values the first request is sent at once, and the origin is the bootstrap`() {
    var bench = RemoteBench(hasBootstrap: true)
    bench.start()
    #expect(bench.state == .notReady)
    #expect(bench.origin == .bootstrap)
    #expect(bench.requests.map(\.etag) == [nil])
  }

  @Test
  func `the first requests of 1,000 clients are spread over the window`() {
    var slots = Set<Int>()
    for number in 0..<1_000 {
      var bench = RemoteBench()
      bench.chance = Double(number) / 1_000
      bench.start(bench.cached(1))
      // Without a delay, the request has been sent already.
      #expect(bench.requests.isEmpty == (number > 0))
      let pause = bench.pause ?? .zero
      #expect(pause >= .zero && pause <= .seconds(10))
      slots.insert(Int(pause.components.seconds))
    }
    #expect(slots == Set(0..<10))
  }

  @Test
  func `a caller that waits ends the random delay`() {
    var bench = RemoteBench()
    bench.start(bench.cached(1))
    bench.handle(.hasten)
    bench.handle(.hasten)
    #expect(bench.requests.count == 1)
  }

  // MARK: Answers

  @Test
  func `polling pauses for five minutes, 20 percent more or less`() {
    for (chance, seconds) in [(0.0, 240), (0.5, 300), (1.0, 360)] {
      var bench = RemoteBench()
      bench.start()
      bench.chance = chance
      bench.answer(RemoteBench.content(1))
      #expect(bench.pause == .seconds(seconds))
    }
  }

  @Test
  func `an unchanged answer keeps the values and resets their age`() {
    var bench = RemoteBench()
    bench.start()
    bench.answer(RemoteBench.content(1))
    bench.advance(by: .seconds(300))
    let before = bench.shown
    bench.handle(.answered(flight: bench.flight, .success(.notModified), retryAfter: nil))
    #expect(bench.shown == before)
    #expect(bench.machine.status.fetchDate == bench.date)
    #expect(bench.stored == ["A": 1])
  }

  @Test
  func `garbage keeps the values and the ETag`() {
    var bench = RemoteBench()
    bench.start(bench.cached(1))
    bench.advance(by: .seconds(10))
    let failure = TweakRequestFailure.undecodable(reason: "x")
    bench.handle(.answered(flight: bench.flight, .failure(failure), retryAfter: nil))
    #expect(bench.state == .error(failure))
    #expect(bench.shown == [1])
    #expect(bench.stored.isEmpty)
    bench.advance(by: .seconds(1))
    #expect(bench.requests.map(\.etag) == ["e", "e"])
  }

  @Test
  func `no ETag is sent for values of other attributes, and they count as stale`() {
    var bench = RemoteBench()
    var content = bench.cached(1)
    content.fingerprint = "other"
    bench.start(content)
    #expect(bench.state == .stale)
    #expect(bench.shown == [1])
    #expect(bench.requests.map(\.etag) == [nil])
  }

  @Test
  func `an unchanged answer to a request without an ETag is a failure`() {
    var bench = RemoteBench()
    bench.start()
    bench.handle(.answered(flight: bench.flight, .success(.notModified), retryAfter: nil))
    #expect(bench.state == .error(.status(304)))
  }

  // MARK: Failures

  @Test
  func `pauses after failures grow within the bounds of full jitter`() {
    for (chance, seconds) in [(0.0, [0, 0, 0]), (1.0, [1, 2, 4])] {
      var bench = RemoteBench()
      bench.start()
      bench.chance = chance
      var pauses: [Duration?] = []
      for _ in 0..<3 {
        bench.fail(500)
        pauses.append(bench.pause)
        bench.advance(by: bench.pause ?? .zero)
      }
      #expect(pauses == seconds.map { .seconds($0) })
    }
    #expect(RemoteTweakPolicy().retry.pause(after: 40, chance: 1) == .seconds(300))
  }

  @Test
  func `a request without an answer is cancelled after a minute and tried again`() {
    var bench = RemoteBench()
    bench.start(bench.cached(1))
    bench.handle(.refresh(1))
    let flight = bench.flight
    bench.advance(by: .seconds(59))
    #expect(bench.requests.count == 1)
    bench.advance(by: .seconds(1))
    #expect(bench.effects.contains(.cancel(flight: flight)))
    #expect(bench.answers == [1: .timedOut(after: .seconds(60))])
    #expect(bench.state == .error(.timedOut(after: .seconds(60))))
    bench.advance(by: .seconds(1))
    #expect(bench.requests.count == 2)
    bench.handle(.answered(flight: flight, .success(.content(RemoteBench.content(9))), retryAfter: nil))
    #expect(bench.shown == [1])
  }

  @Test
  func `Retry-After postpones requests, also those of the next launch, but never for more than an hour`() {
    var bench = RemoteBench()
    bench.start()
    bench.fail(429, retryAfter: .seconds(120))
    #expect(bench.pause == .seconds(120))
    let end = bench.date.addingTimeInterval(120)
    #expect(bench.effects.contains(.postpone(until: end)))
    bench.handle(.refresh(1))
    #expect(bench.answers == [1: .postponed(until: end)])
    var next = RemoteBench()
    next.start(notBefore: end)
    #expect(next.requests.isEmpty)
    next.advance(by: .seconds(119))
    #expect(next.requests.isEmpty)
    next.advance(by: .seconds(1))
    #expect(next.requests.count == 1)
    next.fail(503, retryAfter: .seconds(1_000_000))
    #expect(next.pause == .seconds(3_600))
  }

  @Test
  func `a stored Retry-After far in the future, after the clock was set back, is ignored`() {
    var bench = RemoteBench()
    bench.start(notBefore: bench.date.addingTimeInterval(86_400 * 365))
    #expect(bench.requests.count == 1)
  }

  @Test
  func `a refusal is final: polling stops, and the values stay`() {
    for status in [401, 403] {
      var bench = RemoteBench()
      bench.start(bench.cached(1))
      bench.advance(by: .seconds(10))
      bench.fail(status)
      #expect(bench.state == .fatal(.status(status)))
      #expect(bench.shown == [1])
      bench.handle(.offline(true))
      bench.handle(.offline(false))
      bench.advance(by: .seconds(100_000))
      #expect(bench.requests.count == 1)
      bench.handle(.refresh(1))
      bench.answer(RemoteBench.content(2))
      #expect(bench.state == .ready)
      #expect(bench.pause != nil)
    }
  }

  @Test
  func `nothing is sent while the provider is offline, and pauses do not grow`() {
    var bench = RemoteBench()
    bench.chance = 1
    bench.start(bench.cached(1))
    bench.handle(.refresh(1))
    bench.handle(.offline(true))
    bench.handle(.answered(flight: bench.flight, .failure(.unreachable(reason: "")), retryAfter: nil))
    bench.advance(by: .seconds(3_600))
    bench.handle(.refresh(2))
    #expect(bench.answers == [1: .offline, 2: .offline])
    #expect(bench.requests.count == 1)
    #expect(bench.machine.failures == 0)
    bench.handle(.offline(false))
    bench.advance(by: .seconds(10))
    #expect(bench.requests.count == 2)
  }

  @Test
  func `ten calls share one request, and each gets its result`() {
    var bench = RemoteBench(.onRequest)
    bench.start()
    for call in 1...10 { bench.handle(.refresh(call)) }
    #expect(bench.requests.count == 1)
    bench.answer(RemoteBench.content(1))
    #expect(bench.answers.count == 10)
    #expect(bench.answers.values.allSatisfy { $0 == nil })
    #expect(bench.pause == nil)
  }

  // MARK: Clock

  @Test
  func `polling goes on after the clock was set back a year`() {
    var bench = RemoteBench()
    bench.start()
    bench.answer(RemoteBench.content(1))
    bench.date -= 86_400 * 365
    bench.advance(by: .seconds(300))
    #expect(bench.requests.count == 2)
  }

  @Test
  func `a fetch date in the future is an unknown age: the values are stale, and a request is sent at once`() {
    var bench = RemoteBench()
    bench.start(RemoteBench.content(1, fetched: bench.date.addingTimeInterval(60)))
    #expect(bench.state == .stale)
    #expect(bench.requests.map(\.etag) == ["e"])
  }

  @Test
  func `values older than the policy allows are stale`() {
    var bench = RemoteBench()
    bench.start(RemoteBench.content(1, fetched: bench.date.addingTimeInterval(-90_000)))
    #expect(bench.state == .stale)
    #expect(bench.shown == [1])
  }

  @Test(arguments: [-1e300, 1e300])
  func `values with a damaged date are stale`(seconds: TimeInterval) {
    var bench = RemoteBench()
    bench.start(RemoteBench.content(1, fetched: Date(timeIntervalSince1970: seconds)))
    #expect(bench.state == .stale)
    #expect(bench.shown == [1])
  }

  // MARK: Activation

  @Test
  func `new values wait for the next launch if the policy says so, and then need one launch only`() {
    var policy = RemoteTweakPolicy()
    policy.activation = .nextLaunch
    var bench = RemoteBench(policy)
    bench.start(bench.cached(1))
    bench.advance(by: .seconds(10))
    bench.answer(RemoteBench.content(2, etag: "e2"))
    #expect(bench.shown == [1])
    #expect(bench.stored == ["A": 2])
    bench.advance(by: .seconds(300))
    // The ETag is the one of the newest values.
    #expect(bench.requests.map(\.etag) == ["e", "e2"])
    bench.handle(.answered(flight: bench.flight, .success(.notModified), retryAfter: nil))
    #expect(bench.stored == ["A": 2])
    bench.handle(.activate)
    #expect(bench.shown == [1, 2])
  }
}

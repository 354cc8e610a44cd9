import Foundation
import TestSupport
import Testing
@testable import Tweaks

@Suite("Users of a remote provider")
struct RemoteUserTests {
  @Test
  func `a late answer for an earlier user changes only the cache of that user`() {
    var bench = RemoteBench()
    bench.start()
    let first = bench.flight
    bench.handle(.identify(RemoteBench.ben, nil, 1))
    bench.answer(RemoteBench.content(2))
    let shown = bench.shown
    bench.handle(.answered(flight: first, .success(.content(RemoteBench.content(1))), retryAfter: nil))
    #expect(bench.shown == shown)
    #expect(bench.stored == ["A": 1, "B": 2])
    #expect(bench.answers == [1: nil])
  }

  @Test
  func `a request of an earlier user is cancelled at its deadline, too`() {
    var bench = RemoteBench()
    bench.start()
    let first = bench.flight
    bench.handle(.identify(RemoteBench.ben, nil, 1))
    bench.answer(RemoteBench.content(2))
    bench.advance(by: .seconds(60))
    #expect(bench.effects.contains(.cancel(flight: first)))
    #expect(bench.machine.lateFlights.isEmpty)
    #expect(bench.state == .ready)
  }

  @Test
  func `a user without cached values gets the defaults, never the values of another one`() {
    var bench = RemoteBench()
    bench.start(bench.cached(1))
    bench.handle(.identify(RemoteBench.ben, nil, 1))
    #expect(bench.shown == [1, nil])
    #expect(bench.state == .notReady)
    #expect(bench.requests.last == TweakRequest(context: RemoteBench.ben.context))
  }

  @Test
  func `a user that is identified offline gets cached values`() {
    var bench = RemoteBench()
    bench.start(bench.cached(1))
    bench.handle(.offline(true))
    bench.handle(.identify(RemoteBench.ben, bench.cached(2, for: RemoteBench.ben), 1))
    #expect(bench.shown == [1, 2])
    #expect(bench.answers == [1: .offline])
  }

  @Test
  func `of two quick calls both complete, and the first reports that it was superseded`() {
    var bench = RemoteBench()
    bench.start()
    bench.handle(.identify(RemoteBench.ben, nil, 1))
    bench.handle(.identify(RemoteBench.anna, nil, 2))
    bench.answer(RemoteBench.content(3))
    #expect(bench.answers == [1: .superseded, 2: nil])
    #expect(bench.shown.last == 3)
  }

  @Test
  func `a late answer for the same user is dropped, because a newer request is in progress`() {
    var bench = RemoteBench()
    bench.start()
    let first = bench.flight
    bench.handle(.identify(RemoteBench.anna, nil, 1))
    bench.answer(RemoteBench.content(2))
    bench.handle(.answered(flight: first, .success(.content(RemoteBench.content(1))), retryAfter: nil))
    #expect(bench.stored == ["A": 2])
    #expect(bench.shown.last == 2)
  }

  @Test
  func `the first answer for an identified user takes effect at once, whatever the policy`() {
    var policy = RemoteTweakPolicy()
    policy.activation = .nextLaunch
    var bench = RemoteBench(policy)
    bench.start(bench.cached(1))
    bench.handle(.identify(RemoteBench.ben, nil, 1))
    bench.answer(RemoteBench.content(2))
    #expect(bench.shown == [1, nil, 2])
    bench.advance(by: .seconds(300))
    bench.answer(RemoteBench.content(3))
    #expect(bench.shown == [1, nil, 2])
  }

  @Test
  func `names in the cache reveal nothing, and differ by user, environment and identity attributes only`() {
    let key = CacheKey.random()
    func user(_ context: TweakContext, environment: String = "e", identity: Set<String> = []) -> RemoteUser {
      CacheKey.user(context, key: key, environment: environment, identityAttributes: identity)
    }
    let anna = TweakContext(targetingKey: "anna@example.org", attributes: ["plan": "gold"])
    var changed = anna
    changed.attributes["plan"] = "silver"
    #expect(user(anna).entry == user(changed).entry)
    #expect(user(anna).fingerprint != user(changed).fingerprint)
    #expect(user(anna, identity: ["plan"]).entry != user(changed, identity: ["plan"]).entry)
    #expect(user(anna).entry != user(anna, environment: "f").entry)
    #expect(user(TweakContext()).entry == user(TweakContext(targetingKey: "")).entry)
    #expect(user(TweakContext()).entry != user(TweakContext(targetingKey: "anonymous")).entry)
    #expect(CacheKey.name(["ab", "c"], key: key) != CacheKey.name(["a", "bc"], key: key))
    #expect(user(anna).entry.count == 64)
  }
}

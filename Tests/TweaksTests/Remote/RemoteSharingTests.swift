import Foundation
import Signals
import TestSupport
import Testing
@testable import Tweaks

@Suite("Requests of a process that shares a cache with others")
struct RemoteSharingTests {
  private let policy = RemoteTweakPolicy(polling: .seconds(100), pollingJitter: 0, timeout: .seconds(30))

  private func bench() -> RemoteBench { RemoteBench(policy, isShared: true) }

  /// The number of claims so far.
  private func claims(_ bench: RemoteBench) -> Int { bench.effects.count { $0 == .claim(entry: "A") } }

  private func content(_ value: Int, age: TimeInterval, _ bench: RemoteBench, version: Int? = nil) -> RemoteContent {
    RemoteBench.content(value, version: version, fetched: bench.date.addingTimeInterval(-age))
  }

  @Test
  func `a request is sent with the turn, which ends after the answer is stored`() throws {
    var bench = bench()
    bench.start()
    #expect(bench.requests.isEmpty)
    bench.handle(.claimed(isGranted: true, nil, notBefore: nil))
    #expect(bench.requests.count == 1)
    let effects = bench.answer(RemoteBench.content(1))
    let stored = try #require(effects.firstIndex { if case .store = $0 { true } else { false } })
    let ended = try #require(effects.firstIndex(of: .endClaim))
    #expect(stored < ended)
    #expect(bench.pause == .seconds(100))
  }

  @Test
  func `the turn ends after a failure, after the longest wait, offline, and for an earlier user`() {
    for end in [0, 1, 2, 3] {
      var bench = bench()
      bench.start()
      if end == 2 { bench.handle(.offline(true)) }
      if end == 3 { bench.handle(.identify(RemoteBench.ben, nil, 1)) }
      bench.handle(.claimed(isGranted: true, nil, notBefore: nil))
      if end == 0 { bench.fail(500) }
      if end == 1 { bench.advance(by: .seconds(30)) }
      // The request of the new user keeps the turn.
      if end == 3 { bench.answer(RemoteBench.content(2, for: RemoteBench.ben)) }
      #expect(bench.effects.contains(.endClaim), "\(end)")
    }
  }

  @Test
  func `a provider that goes offline no longer wants the turn, and claims another one when it is online`() {
    var bench = bench()
    bench.start()
    #expect(bench.machine.sharing.claim == .pending)
    bench.handle(.offline(true))
    #expect(bench.machine.sharing.claim == .outdated(isAskedAgain: false))
    bench.handle(.offline(false))
    #expect(claims(bench) == 1)
    bench.handle(.claimed(isGranted: false, nil, notBefore: nil))
    #expect(claims(bench) == 2)
  }

  @Test
  func `newer values that the cache has by then are taken instead of a request`() {
    var bench = bench()
    bench.start(content(1, age: 100, bench))
    bench.advance(by: .seconds(10))
    #expect(claims(bench) == 1)
    bench.handle(.claimed(isGranted: true, content(2, age: 5, bench), notBefore: nil))
    #expect(bench.requests.isEmpty)
    #expect(bench.effects.contains(.endClaim))
    #expect(bench.shown == [1, 2])
    #expect(bench.origin == .network)
    #expect(bench.pause == .seconds(95))
  }

  @Test
  func `while another process has the turn, its answer is awaited, and postpones the next request`() {
    var bench = bench()
    bench.start()
    bench.handle(.claimed(isGranted: false, nil, notBefore: nil))
    #expect(bench.requests.isEmpty)
    #expect(bench.pause == .seconds(30))
    bench.advance(by: .seconds(10))
    bench.handle(.followed(content(1, age: 1, bench), entry: "A"))
    #expect(bench.shown == [nil, 1])
    #expect(bench.machine.status.isSettled)
    #expect(bench.pause == .seconds(99))
    bench.advance(by: .seconds(98))
    #expect(claims(bench) == 1)
    bench.advance(by: .seconds(1))
    #expect(claims(bench) == 2)
  }

  @Test
  func `newer values that arrive while the turn is on its way replace the request, too`() {
    var bench = bench()
    bench.start()
    let newer = content(1, age: 1, bench)
    bench.handle(.followed(newer, entry: "A"))
    bench.handle(.claimed(isGranted: true, newer, notBefore: nil))
    #expect(bench.requests.isEmpty)
    #expect(bench.effects.contains(.endClaim))
    #expect(bench.pause == .seconds(99))
  }

  @Test(arguments: [true, false])
  func `a request that was asked for ends the wish for a turn, whether it succeeds or fails`(succeeds: Bool) {
    var bench = bench()
    bench.start()
    bench.handle(.refresh(1))
    if succeeds { bench.answer(RemoteBench.content(1)) } else { bench.fail(500) }
    let pause = bench.pause
    bench.handle(.claimed(isGranted: true, nil, notBefore: nil))
    #expect(bench.requests.count == 1)
    #expect(bench.effects.contains(.endClaim))
    #expect(bench.pause == pause)
  }

  @Test
  func `a process that keeps the turn for longer than an answer may take is not waited for`() {
    var bench = bench()
    bench.start()
    bench.handle(.claimed(isGranted: false, nil, notBefore: nil))
    bench.advance(by: .seconds(30))
    bench.handle(.claimed(isGranted: false, nil, notBefore: nil))
    #expect(bench.requests.count == 1)
    #expect(!bench.effects.contains(.endClaim))
  }

  @Test
  func `values of the last interval settle the start, and the server is asked when it has passed`() {
    var bench = bench()
    bench.start(content(1, age: 40, bench))
    #expect(bench.origin == .cache)
    #expect(bench.machine.status.isSettled)
    bench.handle(.hasten)
    bench.advance(by: .seconds(59))
    #expect(claims(bench) == 0)
    bench.advance(by: .seconds(1))
    #expect(claims(bench) == 1)
  }

  @Test
  func `a pause that the server asked another process for holds for this one`() {
    var bench = bench()
    bench.start()
    bench.handle(.claimed(isGranted: true, nil, notBefore: bench.date.addingTimeInterval(50)))
    #expect(bench.requests.isEmpty)
    #expect(bench.effects.contains(.endClaim))
    #expect(bench.pause == .seconds(50))
  }

  @Test
  func `values of another user, other attributes, an older version, the future or this process are not taken`() {
    var bench = bench()
    bench.start(content(1, age: 100, bench, version: 5))
    bench.handle(.followed(content(2, age: 1, bench), entry: "B"))
    var other = content(3, age: 1, bench)
    other.fingerprint = "a2"
    bench.handle(.followed(other, entry: "A"))
    bench.handle(.followed(content(4, age: 1, bench, version: 4), entry: "A"))
    bench.handle(.followed(content(5, age: -1, bench, version: 6), entry: "A"))
    bench.handle(.followed(content(1, age: 100, bench, version: 5), entry: "A"))
    #expect(bench.shown == [1])
    #expect(bench.origin == .cache)
  }

  @Test
  func `values of another process wait for the next launch if those of this one do`() {
    var policy = policy
    policy.activation = .nextLaunch
    var bench = RemoteBench(policy, isShared: true)
    bench.start(content(1, age: 100, bench))
    bench.handle(.followed(content(2, age: 1, bench), entry: "A"))
    #expect(bench.shown == [1])
    bench.handle(.activate)
    #expect(bench.shown == [1, 2])
  }

  @Test
  func `an explicit request is sent although another process has the turn`() {
    var bench = bench()
    bench.start(content(1, age: 1, bench))
    bench.handle(.refresh(1))
    #expect(bench.requests.count == 1)
  }
}

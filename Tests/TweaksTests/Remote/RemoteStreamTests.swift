import Foundation
import Signals
import TestSupport
import Testing
@testable import Tweaks

@Suite("Streams of a remote provider")
struct RemoteStreamTests {
  private func patch(_ version: Int, event: String? = nil) -> TweakPatch {
    TweakPatch(version: version, tweaks: [Tweak(feature: "f", variable: "v", value: .int(version))], eventID: event)
  }

  /// A bench with a stream, and with version 1 of the values.
  private func connected() -> RemoteBench {
    var bench = RemoteBench(hasStream: true)
    bench.start()
    bench.answer(RemoteBench.content(1, version: 1))
    return bench
  }

  private func connections(_ bench: RemoteBench) -> [TweakRequest] {
    bench.effects.compactMap { effect in if case .connect(let request, _) = effect { request } else { nil } }
  }

  @Test
  func `patches are applied in order, an older one is ignored, and nothing is polled`() {
    var bench = connected()
    #expect(bench.pause == nil)
    bench.handle(.patched(patch(2), stream: 1))
    bench.handle(.patched(patch(2), stream: 1))
    bench.handle(.patched(patch(1), stream: 1))
    bench.handle(.patched(TweakPatch(version: 3, removed: [TweakID(feature: "f", variable: "v")]), stream: 1))
    #expect(bench.shown == [nil, 1, 2, nil])
    #expect(bench.requests.count == 1)
    bench.handle(.refresh(1))
    #expect(bench.requests.last?.etag == nil)
  }

  @Test
  func `a gap leads to a request without an ETag, and later patches wait for its answer`() {
    var bench = connected()
    bench.handle(.patched(patch(4), stream: 1))
    bench.handle(.patched(patch(5), stream: 1))
    #expect(bench.shown == [nil, 1])
    #expect(bench.requests.map(\.etag) == [nil, nil])
    bench.answer(RemoteBench.content(4, version: 4))
    #expect(bench.shown == [nil, 1, 4, 5])
    bench.handle(.patched(patch(6), stream: 1))
    #expect(bench.shown.last == 6)
  }

  @Test
  func `an answer that is older than the patches is requested again after a pause`() {
    var bench = connected()
    bench.handle(.patched(patch(4), stream: 1))
    bench.answer(RemoteBench.content(2, version: 2))
    #expect(bench.pause == .milliseconds(500))
    bench.advance(by: .seconds(1))
    #expect(bench.requests.count == 3)
    bench.answer(RemoteBench.content(3, version: 3))
    #expect(bench.shown.last == 4)
  }

  @Test
  func `a complete patch replaces all values`() {
    var bench = connected()
    bench.handle(.patched(patch(9), stream: 1))
    var complete = patch(10)
    complete.isComplete = true
    bench.handle(.patched(complete, stream: 1))
    #expect(bench.shown.last == 10)
    bench.handle(.patched(patch(11), stream: 1))
    #expect(bench.shown.last == 11)
  }

  @Test
  func `the next connection continues with the last event after a pause, which a long connection resets`() {
    var bench = connected()
    bench.chance = 1
    bench.handle(.patched(patch(2, event: "x2"), stream: 1))
    var pauses: [Duration?] = []
    for number in 1...3 {
      bench.handle(.streamEnded(stream: number))
      let pause = bench.machine.stream.nextConnection.map { $0 - bench.elapsed }
      pauses.append(pause)
      bench.advance(by: pause ?? .zero)
    }
    #expect(pauses == [.seconds(1), .seconds(2), .seconds(4)])
    #expect(connections(bench).map(\.lastEventID) == [nil, "x2", "x2", "x2"])
    bench.advance(by: .seconds(60))
    bench.handle(.streamEnded(stream: 4))
    #expect(bench.machine.stream.nextConnection.map { $0 - bench.elapsed } == .seconds(1))
  }

  @Test
  func `a server that cannot resume is asked for all values after each connection`() {
    var bench = connected()
    bench.handle(.streamEnded(stream: 1))
    bench.advance(by: .seconds(1))
    #expect(bench.requests.count == 2)
  }

  @Test
  func `events of an earlier connection are ignored, and another user has a connection of its own`() {
    var bench = connected()
    bench.handle(.patched(patch(2, event: "x"), stream: 1))
    bench.handle(.identify(RemoteBench.ben, nil, 1))
    #expect(connections(bench).last == TweakRequest(context: RemoteBench.ben.context))
    bench.handle(.patched(patch(3), stream: 1))
    bench.handle(.streamEnded(stream: 1))
    #expect(bench.shown.last == .some(nil))
    #expect(bench.machine.stream.isConnected)
  }

  @Test
  func `a provider that goes offline disconnects`() {
    var bench = connected()
    bench.handle(.offline(true))
    #expect(bench.effects.contains(.disconnect))
    bench.handle(.offline(false))
    #expect(connections(bench).count == 2)
  }

  @Test
  func `a gap whose request fails is requested again, also if requests are made only by refresh()`() {
    for retry in [RemoteTweakPolicy().retry, .constant(.seconds(1), limit: 0)] {
      var policy = RemoteTweakPolicy.onRequest
      policy.retry = retry
      var bench = RemoteBench(policy, hasStream: true)
      bench.start()
      bench.handle(.refresh(1))
      bench.answer(RemoteBench.content(1, version: 1))
      bench.handle(.patched(patch(3), stream: 1))
      bench.fail(500)
      #expect(bench.requests.count == 2)
      for _ in 0..<600 where bench.flight == 0 { bench.advance(by: .seconds(1)) }
      #expect(bench.requests.count == 3)
      bench.answer(RemoteBench.content(2, version: 2))
      #expect(bench.shown.last == 3)
      #expect(bench.pause == nil)
    }
  }

  @Test(arguments: [false, true])
  func `a patch that waits for an answer is not forgotten when the request fails`(isOffline: Bool) {
    var bench = RemoteBench(.onRequest, hasStream: true)
    bench.start()
    bench.handle(.refresh(1))
    bench.handle(.patched(patch(2, event: "2"), stream: 1))
    if isOffline { bench.handle(.offline(true)) }
    bench.fail(500)
    if isOffline { bench.handle(.offline(false)) }
    bench.advance(by: .seconds(1))
    #expect(bench.requests.count == 2)
    bench.answer(RemoteBench.content(1, version: 1))
    #expect(bench.shown == [nil, 1, 2])
  }

  @Test
  func `without a gap, a failed request of a policy without polling is not repeated`() {
    var bench = RemoteBench(.onRequest, hasStream: true)
    bench.start()
    bench.handle(.refresh(1))
    bench.answer(RemoteBench.content(1, version: 1))
    bench.handle(.refresh(2))
    bench.fail(500)
    bench.advance(by: .seconds(3_600))
    #expect(bench.requests.count == 2)
  }

  @Test
  func `a gap survives a time without a network`() {
    var bench = RemoteBench(.onRequest, hasStream: true)
    bench.start()
    bench.handle(.refresh(1))
    bench.answer(RemoteBench.content(1, version: 1))
    bench.handle(.patched(patch(3, event: "3"), stream: 1))
    bench.handle(.offline(true))
    bench.handle(.answered(flight: bench.flight, .failure(.unreachable(reason: "")), retryAfter: nil))
    bench.handle(.offline(false))
    #expect(bench.requests.count == 3)
    bench.answer(RemoteBench.content(3, version: 3))
    #expect(bench.shown.last == 3)
  }

  @Test
  func `a refresh that succeeds after a refusal connects again, and asks for the changes in between`() {
    for status in [401, 403] {
      var bench = connected()
      bench.handle(.refresh(1))
      bench.fail(status)
      #expect(!bench.machine.stream.isConnected)
      bench.handle(.refresh(2))
      bench.answer(RemoteBench.content(2, version: 2))
      #expect(bench.state == .ready)
      #expect(bench.machine.stream.isConnected)
      #expect(connections(bench).count == 2)
      #expect(bench.requests.count == 4)
      bench.answer(RemoteBench.content(2, version: 2))
      bench.handle(.patched(patch(3), stream: 2))
      #expect(bench.shown.last == 3)
    }
  }

  @Test
  func `a refusal cancels what was scheduled before`() {
    var bench = RemoteBench()
    bench.start(bench.cached(1))
    bench.handle(.refresh(1))
    bench.handle(.offline(true))
    bench.handle(.offline(false))
    bench.fail(401)
    bench.advance(by: .seconds(3_600))
    #expect(bench.requests.count == 1)
  }

  @Test
  func `during Retry-After, neither a gap nor a connection sends anything`() {
    var bench = connected()
    bench.handle(.refresh(1))
    bench.fail(429, retryAfter: .seconds(600))
    bench.handle(.patched(patch(4), stream: 1))
    bench.advance(by: .seconds(599))
    #expect(bench.requests.count == 2)
    bench.advance(by: .seconds(1))
    #expect(bench.requests.count == 3)
    bench.answer(RemoteBench.content(4, version: 4))
    // The stream is about to connect when the server asks for a pause.
    bench.chance = 1
    bench.handle(.streamEnded(stream: 1))
    bench.handle(.refresh(2))
    bench.fail(503, retryAfter: .seconds(600))
    bench.handle(.offline(true))
    bench.handle(.offline(false))
    bench.handle(.identify(RemoteBench.ben, nil, 3))
    bench.advance(by: .seconds(599))
    #expect(bench.requests.count == 4)
    #expect(connections(bench).count == 1)
    bench.advance(by: .seconds(1))
    #expect(bench.requests.count == 5)
    #expect(connections(bench).count == 2)
    var next = RemoteBench(hasStream: true)
    next.start(notBefore: next.date.addingTimeInterval(120))
    #expect(connections(next).isEmpty)
    next.advance(by: .seconds(120))
    #expect(connections(next).count == 1)
    #expect(next.requests.count == 1)
  }

  @Test
  func `a connection without a network asks for what was missed, unless the server can resume`() {
    for event in [nil, "2"] {
      var bench = RemoteBench(.onRequest, hasStream: true)
      bench.start()
      bench.handle(.refresh(1))
      bench.answer(RemoteBench.content(1, version: 1))
      bench.handle(.patched(patch(2, event: event), stream: 1))
      bench.handle(.offline(true))
      bench.handle(.offline(false))
      #expect(bench.requests.count == (event == nil ? 2 : 1))
    }
  }

  @Test
  func `an empty identifier ends resuming`() {
    var bench = connected()
    bench.handle(.patched(patch(2, event: "x"), stream: 1))
    bench.handle(.patched(patch(3, event: ""), stream: 1))
    bench.handle(.streamEnded(stream: 1))
    bench.advance(by: .seconds(1))
    #expect(connections(bench).map(\.lastEventID) == [nil, nil])
  }

  @Test(.patient)
  func `a patch that is sent after an answer takes effect at once`() async throws {
    for round in 0..<Scale.count(300, torture: 10_000) {
      let patches = Emitter<TweakPatch, any Error>()
      let provider = RemoteTweakProvider(stream: { _ in patches.eraseToAnySignal() }) { _ in
        .tweaks([Tweak(feature: "f", variable: "v", value: 1)], version: 1)
      }
      let manager = TweakManager(providers: [provider])
      if round % 2 == 0 { try await provider.refresh() } else { await provider.ready(within: .seconds(60)) }
      patches.send(patch(2))
      #expect(manager.value(feature: "f", variable: "v", default: 0) == 2)
    }
  }
}

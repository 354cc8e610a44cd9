import Foundation
import Testing
@testable import Tweaks

@Suite("Streams of a process that shares a cache with others")
struct SharedStreamTests {
  private let policy = RemoteTweakPolicy(polling: .seconds(100), pollingJitter: 0, timeout: .seconds(30))

  private func patch(_ version: Int) -> TweakPatch {
    TweakPatch(version: version, tweaks: [Tweak(feature: "f", variable: "v", value: .int(version))])
  }

  private func content(_ version: Int, age: TimeInterval = 1, _ bench: RemoteBench) -> RemoteContent {
    RemoteBench.content(version, version: version, fetched: bench.date.addingTimeInterval(-age))
  }

  /// A bench with a stream, and with the first version of the values.
  private func connected(version: Int? = 1) -> RemoteBench {
    var bench = RemoteBench(policy, hasStream: true, isShared: true)
    bench.start()
    bench.handle(.claimed(isGranted: true, nil, notBefore: nil))
    bench.advance(by: .seconds(1))
    bench.answer(RemoteBench.content(1, version: version))
    bench.advance(by: .seconds(9))
    return bench
  }

  /// A bench whose stream has sent a later version, and that claims the turn because its request for the gap failed.
  private func claiming(after version: Int, retryAfter: Duration? = nil) -> RemoteBench {
    var bench = connected()
    bench.handle(.patched(patch(version), stream: 1))
    bench.fail(500, retryAfter: retryAfter)
    bench.advance(by: .seconds(60))
    return bench
  }

  private func isSent(_ effects: [RemoteEffect]) -> Bool {
    effects.contains { if case .send = $0 { true } else { false } }
  }

  @Test(arguments: [nil, .seconds(40)] as [Duration?])
  func `a gap that the values of another process do not close is closed by a request`(retryAfter: Duration?) {
    var bench = claiming(after: 4, retryAfter: retryAfter)
    #expect(bench.machine.sharing.claim == .pending)
    let effects = bench.handle(.claimed(isGranted: true, content(2, bench), notBefore: nil))
    #expect(isSent(effects))
    bench.answer(RemoteBench.content(4, version: 4))
    bench.handle(.patched(patch(5), stream: 1))
    #expect(bench.shown == [nil, 1, 2, 4, 5])
  }

  @Test
  func `a claim for a gap stays valid when another process stores values that do not close it`() {
    var bench = claiming(after: 4)
    bench.handle(.followed(content(2, bench), entry: "A"))
    let effects = bench.handle(.claimed(isGranted: true, content(2, bench), notBefore: nil))
    #expect(isSent(effects))
  }

  @Test(arguments: [2, 3, 5])
  func `values of another process are patched, which closes a gap without a request`(_ version: Int) {
    var bench = claiming(after: 3)
    let effects = bench.handle(.claimed(isGranted: true, content(version, bench), notBefore: nil))
    #expect(!isSent(effects))
    #expect(effects.contains(.endClaim))
    let last = max(version, 3)
    #expect(bench.shown.last == last)
    #expect(bench.machine.stream.waiting.isEmpty)
    bench.handle(.patched(patch(last + 1), stream: 1))
    #expect(bench.shown.last == last + 1)
    bench.advance(by: .seconds(600))
    #expect(bench.requests.count == 2)
  }

  @Test
  func `a gap is closed by values of another process that are stored while its request is on its way`() {
    var bench = connected()
    bench.handle(.patched(patch(3), stream: 1))
    bench.handle(.followed(content(2, bench), entry: "A"))
    #expect(bench.shown == [nil, 1, 2, 3])
  }

  @Test
  func `the pauses between requests for a gap grow although other processes store values that do not close it`() {
    var bench = connected()
    bench.handle(.patched(patch(5), stream: 1))
    var pauses: [Duration?] = []
    for _ in 1...3 {
      bench.answer(RemoteBench.content(3, version: 3))
      pauses.append(bench.pause)
      bench.advance(by: .milliseconds(1))
      bench.handle(.followed(content(3, age: 0, bench), entry: "A"))
      bench.advance(by: bench.pause ?? .zero)
      bench.handle(.claimed(isGranted: true, nil, notBefore: nil))
    }
    #expect(pauses == [.milliseconds(500), .seconds(1), .seconds(2)])
  }

  @Test
  func `values that close a gap make the scheduled request unnecessary`() {
    var bench = connected()
    bench.handle(.patched(patch(3), stream: 1))
    bench.advance(by: .seconds(29))
    bench.fail(500)
    #expect(bench.pause != nil)
    bench.handle(.followed(content(2, age: 0, bench), entry: "A"))
    #expect(bench.pause == nil)
    #expect(bench.state == .ready)
    bench.handle(.streamEnded(stream: 1))
    #expect(bench.pause == .seconds(100))
  }

  @Test(arguments: [true, false])
  func `values of a request before the opening of the stream do not replace one after it`(isFollowed: Bool) {
    // An answer may take 30 seconds.
    for (age, isEarlier) in [(60, true), (25, true), (15, false)] as [(TimeInterval, Bool)] {
      var bench = RemoteBench(policy, hasStream: true, isShared: true)
      bench.start()
      bench.advance(by: .seconds(50))
      let stored = content(1, age: age, bench)
      if isFollowed { bench.handle(.followed(stored, entry: "A")) }
      let effects = bench.handle(.claimed(isGranted: true, stored, notBefore: nil))
      #expect(isSent(effects) == isEarlier)
      #expect(bench.shown == [nil, 1])
    }
  }

  @Test
  func `a process that has asked since the opening of its stream does not ask because another one has, too`() {
    var bench = connected()
    let effects = bench.handle(.followed(content(2, bench), entry: "A"))
    #expect(!effects.contains(.claim(entry: "A")))
    bench.handle(.patched(patch(3), stream: 1))
    #expect(bench.shown == [nil, 1, 2, 3])
  }

  @Test
  func `patches of an earlier connection do not close the gap before the next one`() {
    var bench = connected()
    for version in [3, 5] { bench.handle(.patched(patch(version), stream: 1)) }
    bench.handle(.streamEnded(stream: 1))
    bench.advance(by: .seconds(1))
    #expect(bench.machine.stream.number == 2)
    bench.fail(500)
    // Another process asked before the connection, and a third one did so, too.
    for version in [3, 5] {
      bench.handle(.followed(content(version, age: 0, bench), entry: "A"))
      bench.advance(by: .milliseconds(1))
    }
    #expect(bench.shown == [nil, 1, 3, 5])
    #expect(bench.machine.stream.waiting.isEmpty)
    bench.advance(by: .seconds(1))
    let effects = bench.handle(.claimed(isGranted: true, content(5, age: 0, bench), notBefore: nil))
    #expect(isSent(effects))
  }

  // MARK: Without versions

  @Test(arguments: [true, false])
  func `values without a version do not replace those of a stream, but end a failure`(isFollowed: Bool) {
    var bench = connected(version: nil)
    bench.handle(.refresh(1))
    bench.fail(500)
    bench.handle(.patched(patch(2), stream: 1))
    bench.advance(by: .seconds(1))
    #expect(bench.machine.sharing.claim == .pending)
    let stored = RemoteBench.content(1, fetched: bench.date.addingTimeInterval(-0.1))
    if isFollowed { bench.handle(.followed(stored, entry: "A")) }
    let effects = bench.handle(.claimed(isGranted: true, stored, notBefore: nil))
    #expect(!isSent(effects))
    #expect(bench.shown == [nil, 1, 2])
    #expect(bench.state == .ready)
  }

  @Test
  func `values without a version do not replace the answer to a later request`() {
    var bench = RemoteBench(policy, hasStream: true, isShared: true)
    bench.start()
    bench.advance(by: .seconds(10))
    bench.handle(.refresh(1))
    bench.handle(.followed(RemoteBench.content(1, fetched: bench.date), entry: "A"))
    bench.answer(RemoteBench.content(2))
    #expect(bench.shown == [nil, 2])
  }

  @Test
  func `a stream does not resume after values without a version, which may be older than its last event`() {
    var bench = connected(version: nil)
    var last = patch(2)
    last.eventID = "2"
    bench.handle(.patched(last, stream: 1))
    bench.handle(.streamEnded(stream: 1))
    bench.advance(by: .milliseconds(1))
    bench.handle(.followed(RemoteBench.content(1, fetched: bench.date), entry: "A"))
    bench.advance(by: .seconds(1))
    #expect(bench.machine.stream.number == 2)
    #expect(bench.requests.count == 2)
    bench.answer(RemoteBench.content(2))
    #expect(bench.shown == [nil, 1, 2, 1, 2])
  }

  // MARK: Requests that are not needed

  @Test
  func `the end of a stream schedules no request while the turn for one is awaited`() {
    var bench = RemoteBench(policy, hasStream: true, isShared: true)
    bench.start()
    bench.handle(.streamEnded(stream: 1))
    #expect(bench.pause == nil)
    let effects = bench.handle(.claimed(isGranted: true, nil, notBefore: nil))
    #expect(isSent(effects))
  }

  @Test
  func `a stream that lags behind schedules no request while the turn for one is awaited`() {
    var bench = RemoteBench(policy, hasStream: true, isShared: true)
    bench.start(content(5, age: 200, bench))
    bench.advance(by: .seconds(10))
    #expect(bench.machine.sharing.claim == .pending)
    var lagging = patch(4)
    lagging.isComplete = true
    bench.handle(.patched(lagging, stream: 1))
    #expect(bench.pause == nil)
    let effects = bench.handle(.claimed(isGranted: true, nil, notBefore: nil))
    #expect(isSent(effects))
  }
}

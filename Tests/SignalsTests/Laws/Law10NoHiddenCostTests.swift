import Signals
import TestSupport
import Testing

/// Tests of costs that are visible in a debug build.
///
/// The `counts` playground counts allocations and reference counts in a release build.
@Suite("Law 10: No hidden cost")
struct Law10NoHiddenCostTests {
  @Test func `an emitter without subscribers keeps no values`() {
    let emitter = Emitter<Probe, Never>()
    let released = Counter()
    emitter.send(Probe { released.add() })
    #expect(released.value == 1)
  }

  @Test func `a replaying emitter keeps no more values than requested`() {
    let emitter = Emitter<Probe, Never>(replay: 2)
    let released = Counter()
    for _ in 0..<10 { emitter.send(Probe { released.add() }) }
    #expect(released.value == 8)
    withExtendedLifetime(emitter) {}
  }

  @Test func `no chain of operators keeps a delivered value`() {
    let emitter = Emitter<Probe, Never>()
    let released = Counter()
    let subscriptions = [
      emitter.map { $0 }.filter { _ in true }.sink { $0.touch() },
      merge(emitter, emitter).sink { $0.touch() },
    ]
    emitter.send(Probe { released.add() })
    #expect(released.value == 1)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `values queued by a re-entrant send are not kept after delivery`() {
    let emitter = Emitter<Probe?, Never>()
    let released = Counter()
    let subscription = emitter.sink { probe in
      if probe == nil { for _ in 0..<5 { emitter.send(Probe { released.add() }) } }
    }
    emitter.send(nil)
    #expect(released.value == 5)
    withExtendedLifetime(subscription) {}
  }
}

import Synchronization
import TestSupport
import Testing

@testable import Signals

@Suite("The lifetime of subscribers")
struct SubscriberLifetimeTests {
  @Test func `a token owns its subscriber until it is cancelled`() {
    let core = EmitterCore<Int, Never>()
    let released = Counter()
    #expect(core.takeTurn())
    let token: SignalSubscription
    do {
      let probe = Probe { released.add() }
      token = CoreSignal(core: core).sink { _ in probe.touch() }
    }
    // The thread that has the turn finds the subscriber dead and releases it, before the canceller uses it.
    core.queue.removeAll()
    #expect(released.value == 0)
    token.cancel()
    #expect(released.value == 0)
    core.drain()
    #expect(released.value == 1)
  }

  @Test func `the end releases the subscriber that a token owns`() {
    let core = EmitterCore<Int, Never>()
    let released = Counter()
    var tokens: [SignalSubscription] = []
    for isLate in [false, true] {
      if isLate { core.end(.finished) }
      let probe = Probe { released.add() }
      tokens.append(CoreSignal(core: core).sink { _ in probe.touch() })
    }
    #expect(released.value == 2)
    #expect(core.interest.load(ordering: .relaxed) == 0)
  }

  @Test func `marking postponed dependents releases no value under the source's lock`() {
    let source = MutableProperty(0)
    let foundFree = Log<Bool>()
    var list = FlushList()
    do {
      let probe = Probe { [core = source.core] in
        let isFree = core.lock.tryLock()
        if isFree { core.lock.unlock() }
        foundFree.add(isFree)
      }
      // The list holds the last reference to a tall derived value that has lost its observers.
      list.postpone(MutableProperty(probe).core)
    }
    source.core.lock.withLock { list.markPostponed() }
    list.flush()
    #expect(foundFree.entries == [true])
  }
}

/// A signal of a core.
private struct CoreSignal: Signal {
  typealias Element = Int
  typealias Failure = Never

  let core: EmitterCore<Int, Never>

  func subscribe(_ subscriber: some SignalSubscriber<Int, Never>) -> SignalSubscription {
    core.subscribe(subscriber)
  }
}

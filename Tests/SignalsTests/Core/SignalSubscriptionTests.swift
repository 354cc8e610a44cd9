import Signals
import TestSupport
import Testing

@Suite("SignalSubscription")
struct SignalSubscriptionTests {
  @Test func `a token made from a closure runs it once`() {
    let count = Counter()
    var subscription: SignalSubscription? = SignalSubscription { count.add() }
    subscription?.cancel()
    subscription?.cancel()
    subscription = nil
    #expect(count.value == 1)
  }

  @Test func `a token made from a closure runs it when it is released`() {
    let count = Counter()
    do {
      let subscription = SignalSubscription { count.add() }
      withExtendedLifetime(subscription) {}
    }
    #expect(count.value == 1)
  }

  @Test func `a token retains several companions until it is cancelled`() {
    let released = Counter()
    let emitter = Emitter<Int, Never>()
    let subscription = emitter.sink { _ in }
      .keepAlive(Probe { released.add() })
      .keepAlive(Probe { released.add() })
    #expect(released.value == 0)
    subscription.cancel()
    #expect(released.value == 2)
  }
}

import Signals
import TestSupport
import Testing

@Suite("handleEvents and print", .patient)
struct HandleEventsTests {
  /// A stream that records the lines that threads write to it.
  private final class Lines: TextOutputStream, Sendable {
    let log = Log<String>()
    func write(_ string: String) { log.add(string) }
    var text: String { log.entries.joined() }
  }

  private func watched(_ signal: some Signal<Int, Mishap>, in log: Log<String>) -> some Signal<Int, Mishap> {
    signal.handleEvents(
      receiveSubscription: { log.add("subscription") },
      receiveOutput: { log.add("output \($0)") },
      receiveCompletion: { log.add("completion \($0)") },
      receiveCancel: { log.add("cancel") }
    )
  }

  @Test func `each closure runs before its event is forwarded`() {
    let emitter = Emitter<Int, Mishap>()
    let log = Log<String>()
    let subscription = watched(emitter, in: log).trace(in: log)
    emitter.send(1)
    emitter.finish()
    subscription.cancel()
    #expect(log.entries == ["subscription", "output 1", "1", "completion finished", "|"])
  }

  @Test func `a failure is reported as a completion`() {
    let log = Log<String>()
    let subscription = watched(FailSignal<Int, Mishap>(.fire), in: log).trace(in: log)
    #expect(log.entries == ["subscription", "completion failure(SignalsTests.Mishap.fire)", "#"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `cancelling and releasing the token call the closure once`() {
    let emitter = Emitter<Int, Mishap>()
    let log = Log<String>()
    var subscription: SignalSubscription? = watched(emitter, in: log).trace(in: log)
    subscription?.cancel()
    subscription?.cancel()
    subscription = nil
    emitter.send(1)
    emitter.finish()
    #expect(log.entries == ["subscription", "cancel"])
    subscription = watched(NeverSignal(), in: log).trace(in: log)
    subscription = nil
    #expect(log.entries.suffix(2) == ["subscription", "cancel"])
  }

  @Test func `the observer nearest to the subscriber is notified of cancellation first`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription =
      emitter.handleEvents(receiveCancel: { log.add("far") }).handleEvents(receiveCancel: { log.add("near") })
      .sink { _ in }
    subscription.cancel()
    #expect(log.entries == ["near", "far"])
  }

  @Test func `a closure that cancels prevents the delivery of its event`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let token = Box<SignalSubscription>()
    token.value = emitter.handleEvents(receiveOutput: { _ in token.value?.cancel() }).trace(in: log)
    emitter.send(1)
    #expect(log.entries.isEmpty)
    token.value = emitter.handleEvents(receiveCompletion: { _ in token.value?.cancel() }).trace(in: log)
    emitter.finish()
    #expect(log.entries.isEmpty)
  }

  @Test func `the captures of the closures and the subscriber are released when cancelled`() {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    var subscription: SignalSubscription?
    do {
      let probe = Probe { released.add() }
      subscription = emitter.handleEvents(receiveOutput: { _ in probe.touch() }).sink { _ in }
    }
    emitter.send(1)
    subscription = nil
    #expect(released.value == 1)
    withExtendedLifetime((subscription, emitter)) {}
  }

  @Test(arguments: [false, true])
  func `the cancellation closure is released at the end, even if the token is kept`(isCancelled: Bool) {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    let calls = Counter()
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      let onCancel: @Sendable () -> Void = { [probe] in
        probe.touch()
        calls.add()
      }
      subscription = emitter.handleEvents(receiveCancel: onCancel).sink { _ in }
    }
    #expect(released.value == 0)
    if isCancelled { subscription.cancel() } else { emitter.finish() }
    #expect(released.value == 1)
    #expect(calls.value == (isCancelled ? 1 : 0))
    withExtendedLifetime((subscription, emitter)) {}
  }

  @Test func `print writes the same lines as Combine`() {
    let lines = Lines()
    let emitter = Emitter<Int, Mishap>()
    let first = emitter.print("numbers", to: lines).trace(in: Log())
    emitter.send(1)
    emitter.send(2)
    first.cancel()
    let second = emitter.print(to: lines).trace(in: Log())
    emitter.fail(.fire)
    let third = [3].signal.map { $0 }.print("many", to: lines).sink { _ in }
    #expect(
      lines.text == """
        numbers: receive subscription: (Emitter)
        numbers: receive value: (1)
        numbers: receive value: (2)
        numbers: receive cancel
        receive subscription: (Emitter)
        receive error: (fire)
        many: receive subscription: (MapSignal)
        many: receive value: (3)
        many: receive finished

        """
    )
    withExtendedLifetime((second, third)) {}
  }

  @Test func `lines printed by several threads do not interleave`() {
    let lines = Lines()
    let source = DeferredSignal { (0..<200).signal }.print("t", to: lines)
    withThreads(4) { _ in
      let subscription = source.sink { _ in }
      withExtendedLifetime(subscription) {}
    }
    let entries = lines.log.entries
    #expect(entries.count == 4 * 202)
    #expect(entries.allSatisfy { $0.hasPrefix("t: receive ") && $0.hasSuffix("\n") })
  }

  @Test func `an output stream may send into the signal that it prints`() {
    struct Echo: TextOutputStream, Sendable {
      let emitter: Emitter<Int, Never>
      let log: Log<String>
      mutating func write(_ string: String) {
        log.add(string)
        if string == "receive value: (1)\n" { emitter.send(2) }
      }
    }
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = emitter.print(to: Echo(emitter: emitter, log: log)).sink { log.add("got \($0)") }
    emitter.send(1)
    #expect(
      log.entries == [
        "receive subscription: (Emitter)\n", "receive value: (1)\n", "got 1", "receive value: (2)\n", "got 2",
      ]
    )
    withExtendedLifetime(subscription) {}
  }
}

import Signals
import TestSupport
import Testing

@Suite("Simple sources", .patient)
struct SourceTests {
  @Test func `each subscriber receives all values inside the call that subscribes`() {
    let numbers = (1...3).signal
    #expect(numbers.traced == ["1", "2", "3", "|"])
    #expect(numbers.traced == ["1", "2", "3", "|"])
    #expect(JustSignal("a").traced == ["a", "|"])
    #expect(EmptySignal<Int, Never>().traced == ["|"])
    #expect(FailSignal<Int, Mishap>(.fire).traced == ["#"])
    #expect(NeverSignal<Int, Never>().traced == [])
  }

  @Test func `an endless sequence is allowed if an operator ends the signal`() {
    #expect((0...).signal.prefix(3).traced == ["0", "1", "2", "|"])
    #expect((0...).signal.map { $0 * 2 }.filter { $0 > 3 }.scan(0, +).prefix(2).traced == ["4", "10", "|"])
    #expect((0...).signal.eraseToAnySignal().removeDuplicates().first { $0 > 9 }.traced == ["10", "|"])
    #expect((0...).signal.prepend(7).append(9).collect(2).prefix(2).traced == ["[7, 0]", "[1, 2]", "|"])
    #expect(concat((0...).signal, .just(1)).dropFirst(5).prefix { $0 < 7 }.traced == ["5", "6", "|"])
    #expect(merge((0...).signal).prefix(2).traced == ["0", "1", "|"])
    #expect((0...).signal.combineLatest(JustSignal(1)).prefix(0).traced == ["|"])
    #expect(JustSignal(1).combineLatest((0...).signal).prefix(2).traced == ["(1, 0)", "(1, 1)", "|"])
  }

  @Test func `values without a size arrive, whatever sends them`() async {
    // Without optimization, the address of such a value is what a register has, such as an argument that is zero.
    let (bells, count) = (Emitter<Void, Never>(replay: 1), Counter())
    let subscription = bells.sink { count.add() }
    bells.send(())
    let ring: @Sendable (Int) -> Void = { _ in bells.send(()) }
    let call: @Sendable (String) -> Void = { _ in bells.send(()) }
    for number in 0...1 { ring(number) }
    call("")
    await Task { bells.send(()) }.value
    #expect(count.value == 5)
    let late = bells.sink { count.add() }
    #expect(count.value == 6)
    let property = MutableProperty(())
    let properties = property.sink { count.add() }
    let change: @Sendable (Int) -> Void = { _ in property.value = () }
    for number in 0...1 { change(number) }
    #expect(count.value == 9)
    for token in [subscription, late, properties] { token.cancel() }
  }

  @Test func `a loop may leave an endless sequence`() async {
    var numbers: [Int] = []
    for await number in (0...).signal.prefix(3).values { numbers.append(number) }
    #expect(numbers == [0, 1, 2])
    #expect(await (5...).signal.firstValue() == 5)
  }

  @Test func `deferred creates a signal for each subscriber`() {
    let count = Counter()
    let signal = DeferredSignal { JustSignal(count.add()) }
    #expect(count.value == 0)
    #expect(signal.traced == ["1", "|"])
    #expect(signal.traced == ["2", "|"])
  }

  @Test func `a subscriber that has received everything is released`() {
    let released = Counter()
    var tokens: [SignalSubscription] = []
    do {
      let probe = Probe { released.add() }
      tokens.append(JustSignal(1).sink { _ in probe.touch() })
      tokens.append([1, 2].signal.sink { _ in probe.touch() })
      tokens.append(NeverSignal<Int, Never>().sink { _ in probe.touch() })
      tokens.append(EmptySignal<Int, Never>().sink { _ in probe.touch() })
    }
    #expect(released.value == 1)
    for token in tokens { token.cancel() }
  }

  @Test func `a value sent during a sequence follows it or is dropped`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = emitter.prepend(1, 2).sink { value in
      log.add("\(value)")
      emitter.send(value * 10)
    }
    // The emitter had no subscriber yet when those were sent.
    #expect(log.entries == ["1", "2"])
    withExtendedLifetime(subscription) {}
  }
}

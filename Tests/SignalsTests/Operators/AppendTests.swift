import Signals
import TestSupport
import Testing

@Suite("append, prepend and concat", .patient)
struct AppendTests {
  /// The two ways to append one signal to another.
  private static let joins: [@Sendable (Emitter<Int, Mishap>, AnySignal<Int, Mishap>) -> AnySignal<Int, Mishap>] = [
    { $0.append($1).eraseToAnySignal() },
    { $1.prepend($0).eraseToAnySignal() },
    { concat($0, $1).eraseToAnySignal() },
    { concat([$0.eraseToAnySignal(), $1]).eraseToAnySignal() },
    { concat([$0, $1]).eraseToAnySignal() },
  ]

  @Test(arguments: joins.indices) func `the second signal is subscribed to when the first has finished`(index: Int) {
    let first = Emitter<Int, Mishap>()
    let second = Emitter<Int, Mishap>()
    let log = Log<String>()
    let watched = second.handleEvents(receiveSubscription: { log.add("second") }).eraseToAnySignal()
    let subscription = Self.joins[index](first, watched).trace(in: log)
    first.send(1)
    second.send(8)
    first.finish()
    first.send(2)
    second.send(9)
    second.finish()
    #expect(log.entries == ["1", "second", "9", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a fallible signal may follow or precede an infallible one`() {
    let numbers: SequenceSignal<[Int], Never> = [1, 2].signal
    #expect(Watch(numbers.append(AnySignal<Int, Mishap>.fail(.fire))).entries == ["1", "2", "#fire"])
    #expect(Watch(numbers.prepend(AnySignal<Int, Mishap>.just(0))).entries == ["0", "1", "2", "|"])
  }

  @Test(arguments: joins.indices) func `the second signal is not subscribed to after the first fails`(index: Int) {
    let first = Emitter<Int, Mishap>()
    let log = Log<String>()
    let watched = NeverSignal<Int, Mishap>().handleEvents(receiveSubscription: { log.add("second") })
    let subscription = Self.joins[index](first, watched.eraseToAnySignal()).trace(in: log)
    first.fail(.fire)
    #expect(log.entries == ["#"])
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: joins.indices) func `the second signal is not subscribed to after cancelling`(index: Int) {
    let first = Emitter<Int, Mishap>()
    let log = Log<String>()
    let token = Box<SignalSubscription>()
    let watched = NeverSignal<Int, Mishap>().handleEvents(receiveSubscription: { log.add("second") })
    // Cancels in between, after the first signal has finished.
    let joined = Self.joins[index](first, watched.eraseToAnySignal())
    token.value = joined.sink(receiveCompletion: { _ in }, receiveValue: { _ in token.value?.cancel() })
    let other = first.sink(receiveCompletion: { _ in log.add("finished") }, receiveValue: { _ in first.finish() })
    first.send(1)
    #expect(log.entries == ["finished"])
    withExtendedLifetime(other) {}
  }

  @Test(arguments: joins.indices) func `cancelling during the first signal stops it`(index: Int) {
    let first = Emitter<Int, Mishap>()
    let second = Emitter<Int, Mishap>()
    let log = Log<String>()
    let released = Counter()
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      subscription = Self.joins[index](first, second.eraseToAnySignal()).sink(
        receiveCompletion: { _ in probe.touch() },
        receiveValue: { log.add("\($0)") }
      )
    }
    first.send(1)
    subscription.cancel()
    #expect(released.value == 1)
    first.send(2)
    first.finish()
    second.send(3)
    #expect(log.entries == ["1"])
    withExtendedLifetime((first, second)) {}
  }

  @Test(arguments: joins.indices) func `cancelling during the second signal stops it`(index: Int) {
    let first = Emitter<Int, Mishap>()
    let second = Emitter<Int, Mishap>()
    let log = Log<String>()
    let released = Counter()
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      subscription = Self.joins[index](first, second.eraseToAnySignal()).sink(
        receiveCompletion: { _ in probe.touch() },
        receiveValue: { log.add("\($0)") }
      )
    }
    first.finish()
    second.send(1)
    subscription.cancel()
    #expect(released.value == 1)
    second.send(2)
    #expect(log.entries == ["1"])
    withExtendedLifetime((first, second)) {}
  }

  @Test(arguments: joins.indices) func `cancelling stops a second signal that sends at once`(index: Int) {
    let seconds: [AnySignal<Int, Mishap>] = [.from(1...), Self.replaying().eraseToAnySignal()]
    for second in seconds {
      let first = Emitter<Int, Mishap>()
      let log = Log<Int>()
      let token = Box<SignalSubscription>()
      token.value = Self.joins[index](first, second).sink(
        receiveCompletion: { _ in log.add(-1) },
        receiveValue: { value in
          log.add(value)
          if value == 3 { token.value?.cancel() }
        }
      )
      first.finish()
      #expect(log.entries == [1, 2, 3])
    }
  }

  /// Creates an emitter that replays; each case has its own.
  ///
  /// If two threads subscribe to one at once, one of them delivers to both, a little later.
  private static func replaying() -> Emitter<Int, Mishap> {
    let emitter = Emitter<Int, Mishap>(replay: 10)
    for value in 1...6 { emitter.send(value) }
    emitter.finish()
    return emitter
  }

  @Test(arguments: joins.indices) func `an operator that ends the signal never subscribes to the second one`(index: Int)
  {
    let log = Log<String>()
    let watched = NeverSignal<Int, Mishap>().handleEvents(receiveSubscription: { log.add("second") })
    let first = Emitter<Int, Mishap>(replay: 2)
    first.send(1)
    first.send(2)
    first.finish()
    let subscription = Self.joins[index](first, watched.eraseToAnySignal()).prefix(2).trace(in: log)
    #expect(log.entries == ["1", "2", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: joins.indices) func `values sent from inside the callbacks keep their order`(index: Int) {
    let first = Emitter<Int, Mishap>()
    let second = Emitter<Int, Mishap>()
    let log = Log<String>()
    let subscription = Self.joins[index](first, second.eraseToAnySignal()).sink(
      receiveCompletion: { _ in log.add("|") },
      receiveValue: { value in
        if value < 3 { first.send(value + 1) }
        if value == 3 { first.finish() }
        log.add("\(value)")
      }
    )
    first.send(1)
    second.send(4)
    second.finish()
    #expect(log.entries == ["1", "2", "3", "4", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a hundred thousand immediately ending signals do not deepen the stack`() {
    let log = Log<Int>()
    let count = 100_000
    let subscription = concat((0..<count).map { JustSignal($0) }).sink { log.add($0) }
    #expect(log.entries.count == count)
    #expect(log.entries == Array(0..<count))
    withExtendedLifetime(subscription) {}
  }

  @Test func `a long chain of append needs little stack space`() async {
    // A thread of the pool has much less stack space than the main thread.
    let entries = await Task.detached {
      var chain: AnySignal<Int, Never> = .empty()
      for number in 0..<300 { chain = chain.append(JustSignal(number)).eraseToAnySignal() }
      return chain.traced
    }.value
    #expect(entries == (0..<300).map { "\($0)" } + ["|"])
  }

  @Test func `a chain of empty signals finishes at once`() {
    let nothing = concat([AnySignal<Int, Never>]())
    #expect(nothing.traced == ["|"])
    #expect(concat(EmptySignal<Int, Never>(), .empty(), .empty()).traced == ["|"])
  }

  @Test func `each part may end on a different thread`() {
    let parts = (0..<8).map { _ in Emitter<Int, Never>() }
    let log = Log<String>()
    let subscription = concat(parts).trace(in: log)
    withThreads(parts.count) { index in
      parts[index].send(index)
      parts[index].finish()
    }
    #expect(log.entries.last == "|")
    let values = log.entries.dropLast().compactMap(Int.init)
    #expect(values == values.sorted())
    withExtendedLifetime(subscription) {}
  }

  @Test func `a concatenated property sends its current value and every later change`() {
    let level = MutableProperty(1)
    let log = Log<String>()
    let subscription = level.prepend(0).trace(in: log)
    level.value = 2
    #expect(log.entries == ["0", "1", "2"])
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: [false, true])
  func `concat releases its parts at the end and when cancelled, even if the token is kept`(isCancelled: Bool) {
    let first = Emitter<Int, Never>()
    let released = Counter()
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      let add: @Sendable (Int) -> Int = { [probe] value in
        probe.touch()
        return value + 1
      }
      subscription = concat(first.map(add), [1].signal.map(add)).sink { _ in }
    }
    first.send(1)
    #expect(released.value == 0)
    if isCancelled { subscription.cancel() } else { first.finish() }
    #expect(released.value == 1)
    withExtendedLifetime((first, subscription)) {}
  }
}

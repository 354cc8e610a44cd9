import Signals
import TestSupport
import Testing

@Suite("Law 8: No glitches", .patient)
struct Law08NoGlitchesTests {
  @Test func `an observer of a diamond runs once per change and never sees a mix of old and new inputs`() {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let triple = Property.derived(source) { $0 * 3 }
    let sum = Property.derived(double, triple) { "\($0) + \($1)" }
    let log = Log<String>()
    let subscription = sum.sink { log.add($0) }
    source.value = 10
    source.value = 100
    #expect(log.entries == ["2 + 3", "20 + 30", "200 + 300"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `each node of irregular diamonds with tails computes once per change`() {
    let source = MutableProperty(1)
    let counts = (0..<5).map { _ in Counter() }
    let short = Property.derived(source) { value in
      counts[0].add()
      return value
    }
    let long = Property.derived(short) { value in
      counts[1].add()
      return value + 1
    }
    let longer = Property.derived(long) { value in
      counts[2].add()
      return value + 1
    }
    let join = Property.derived(source, short, longer) { first, second, third in
      counts[3].add()
      return first + second + third
    }
    let tail = Property.derived(join) { value in
      counts[4].add()
      return value
    }
    let log = Log<Int>()
    let subscriptions = [tail.sink { log.add($0) }, join.sink { log.add(-$0) }]
    #expect(counts.map(\.value) == [1, 1, 1, 1, 1])
    source.value = 2
    source.value = 3
    #expect(counts.map(\.value) == [3, 3, 3, 3, 3])
    #expect(Set(log.entries) == [5, 8, 11, -5, -8, -11])
    #expect(log.entries.count == 6)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a result equal to the previous one notifies no observer`() {
    let source = MutableProperty(1)
    let computations = Counter()
    let isPositive = Property.derived(source) { $0 > 0 }
    let text = Property.derived(isPositive) { value in
      computations.add()
      return "\(value)"
    }
    let log = Log<String>()
    let subscription = text.sink { log.add($0) }
    for value in 2...50 { source.value = value }
    #expect(computations.value == 1)
    source.value = -1
    #expect(computations.value == 2)
    #expect(log.entries == ["true", "false"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a derived value is not computed without a reader or an observer, and at most once per change`() {
    let source = MutableProperty(1)
    let computations = Counter()
    let derived = Property.derived(source) { value in
      computations.add()
      return value
    }
    source.value = 2
    #expect(computations.value == 0)
    #expect(derived.value == 2)
    #expect(derived.value == 2)
    #expect(computations.value == 1)
    source.value = 3
    source.value = 4
    #expect(computations.value == 1)
    #expect(derived.value == 4)
    #expect(computations.value == 2)
  }

  @Test func `inside a subscriber, every derived value reflects the delivered value or a newer one`() {
    let source = MutableProperty(1)
    let square = Property.derived(source) { $0 * $0 }
    let next = Property.derived(square) { $0 + 1 }
    let log = Log<Bool>()
    let subscriptions = [
      source.sink { log.add(next.value == $0 * $0 + 1) },
      square.sink { log.add(next.value == $0 + 1 && source.value * source.value == $0) },
    ]
    for value in 2..<20 { source.value = value }
    #expect(log.entries.count == 38)
    #expect(log.entries.allSatisfy { $0 })
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a derived value is detached when its last observer leaves, and works again when observed again`() {
    let source = MutableProperty(1)
    let computations = Counter()
    let derived = Property.derived(source) { value in
      computations.add()
      return value
    }
    derived.sink { _ in }.cancel()
    source.value = 2
    source.value = 3
    #expect(computations.value == 1)
    let log = Log<Int>()
    let subscription = derived.sink { log.add($0) }
    source.value = 4
    #expect(log.entries == [3, 4])
    #expect(computations.value == 3)
    withExtendedLifetime(subscription) {}
  }

  @Test func `an unobserved derived value is released together with its captures`() {
    let source = MutableProperty(1)
    let released = Counter()
    do {
      let probe = Probe { released.add() }
      let derived = Property.derived(source) { value in
        probe.touch()
        return value
      }
      let outer = Property.derived(derived) { $0 }
      outer.sink { _ in }.cancel()
      #expect(outer.value == 1)
    }
    #expect(released.value == 1)
    source.value = 2
  }

  @Test func `a subscription retains its inputs until it ends`() {
    let source = MutableProperty(1)
    let released = Counter()
    let log = Log<Int>()
    let subscription = Box<SignalSubscription>()
    do {
      let probe = Probe { released.add() }
      let derived = Property.derived(source) { value in
        probe.touch()
        return value
      }
      subscription.value = Property.derived(derived) { $0 + 1 }.sink { log.add($0) }
    }
    source.value = 2
    #expect(log.entries == [2, 3])
    #expect(released.value == 0)
    subscription.value = nil
    #expect(released.value == 1)
    source.value = 3
    #expect(log.entries == [2, 3])
  }

  @Test func `a derived value ends when none of its inputs can change any more`() {
    let log = Log<String>()
    var first: MutableProperty<Int>? = MutableProperty(1)
    var second: MutableProperty<Int>? = MutableProperty(2)
    let sum = Property.derived(first!, second!) { $0 + $1 }
    let next = Property.derived(sum) { $0 + 1 }
    let subscription = next.sink(receiveCompletion: { log.add("\($0)") }, receiveValue: { log.add("\($0)") })
    first?.value = 10
    first = nil
    second?.value = 20
    second = nil
    #expect(log.entries == ["4", "13", "31", "finished"])
    let late = next.sink(receiveCompletion: { log.add("late \($0)") }, receiveValue: { log.add("late \($0)") })
    #expect(log.entries.suffix(2) == ["late 31", "late finished"])
    #expect(next.value == 31)
    withExtendedLifetime((subscription, late)) {}
  }

  @Test func `any number of inputs can be derived together`() {
    let values = (0..<5).map { MutableProperty($0) }
    let sum = Property.derived(values[0], values[1], values[2], values[3], values[4]) { $0 + $1 + $2 + $3 + $4 }
    let log = Log<Int>()
    let subscription = sum.sink { log.add($0) }
    for value in values { value.modify { $0 += 1 } }
    #expect(log.entries == [10, 11, 12, 13, 14, 15])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a chain of ten thousand derived values does not deepen the stack`() {
    let source = MutableProperty(0)
    var last: Property<Int> = source
    for _ in 0..<10_000 { last = Property.derived(last) { $0 + 1 } }
    let log = Log<Int>()
    let subscription = last.sink { log.add($0) }
    source.value = 1
    #expect(log.entries == [10_000, 10_001])
    subscription.cancel()
    source.value = 2
    #expect(last.value == 10_002)
    #expect(log.entries.count == 2)
    // The chain is released link by link, which must not recurse either.
    last = source
  }

  @Test func `a chain of derived values whose closures capture the links is released without recursion`() {
    var last: Property<Int>? = MutableProperty(0)
    for _ in 0..<20_000 {
      last = last.map { link in Property.derived(link) { value in withExtendedLifetime(link) { value } } }
    }
    last = nil
  }

  @Test func `the cost of a ladder of diamonds grows with its nodes, not its paths`() {
    let source = MutableProperty(1)
    let computations = Counter()
    var last: Property<Int> = source
    for _ in 0..<40 {
      let left = Property.derived(last) { $0 }
      let right = Property.derived(last) { $0 }
      last = Property.derived(left, right) { left, right in
        computations.add()
        return left == right ? left : .min
      }
    }
    let log = Log<Int>()
    let subscription = last.sink { log.add($0) }
    source.value = 2
    #expect(log.entries == [1, 2])
    #expect(computations.value == 80)
    subscription.cancel()
    source.value = 3
    #expect(last.value == 3)
  }

  @Test func `an observer that writes a source sees the feedback settle`() {
    let source = MutableProperty(0)
    let double = Property.derived(source) { $0 * 2 }
    let log = Log<Int>()
    let subscription = double.sink { value in
      log.add(value)
      if value < 2_000 { source.modify { $0 += 1 } }
    }
    #expect(log.entries.last == 2_000)
    #expect(log.entries.count == 1_001)
    withExtendedLifetime(subscription) {}
  }

  private static let cycle = #line + 5

  private static func makeCycle() -> Property<Int> {
    let source = MutableProperty(1)
    let itself = Box<Property<Int>>()
    let derived = Property.derived(source) { $0 + (itself.value?.value ?? 0) }
    itself.value = derived
    return derived
  }

  @Test func `reading a value inside its own computation is diagnosed instead of hanging`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Self.makeCycle().value
    }
    let explanation = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(explanation.contains("depends on itself"))
    #expect(explanation.contains("the Property<Int> derived at SignalsTests/Law08NoGlitchesTests.swift:\(Self.cycle) "))
  }

  @Test func `writing an input inside a computation is diagnosed instead of hanging`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let source = MutableProperty(1)
      let derived = Property.derived(source) { value in
        source.value = value + 1
        return value
      }
      let subscription = derived.sink { _ in }
      withExtendedLifetime(subscription) {}
    }
    let explanation = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(explanation.contains("the Property<Int> derived at SignalsTests/Law08NoGlitchesTests.swift:"))
  }

  @Test func `concurrent writers never show an observer or a reader a mixture`() {
    let source = MutableProperty(0)
    let double = Property.derived(source) { $0 * 2 }
    let quadruple = Property.derived(double) { $0 * 2 }
    let check = Property.derived(source, double, quadruple) { $0 * 6 - $1 - $2 }
    let pair = Property.derived(source, quadruple) { [$0, $1] }
    let mistakes = Counter()
    let seen = Log<Int>()
    let subscriptions = [
      check.sink { if $0 != 0 { mistakes.add() } },
      pair.sink { pair in
        if pair[1] != pair[0] * 4 { mistakes.add() }
        seen.add(pair[0])
      },
    ]
    withThreads(4) { thread in
      for _ in 0..<3_000 {
        if thread < 2 {
          source.modify { $0 += 1 }
        } else {
          let now = pair.value
          if now[1] != now[0] * 4 || check.value != 0 { mistakes.add() }
        }
      }
    }
    #expect(mistakes.value == 0)
    #expect(seen.entries.last == 6_000)
    #expect(seen.entries == seen.entries.sorted())
    #expect(Set(seen.entries).count == seen.entries.count)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a reader of a slow computation finishes even if its inputs never stop changing`() {
    let source = MutableProperty(0)
    let isOver = MutableProperty(false)
    let slow = Property.derived(source) { value in (0..<200).reduce(value) { $0 ^ ($1 & 0) } }
    let other = Property.derived(source) { $0 }
    let both = Property.derived(slow, other) { $0 == $1 }
    let subscription = slow.sink { _ in }
    let mistakes = Counter()
    withThreads(3) { thread in
      if thread == 0 {
        for _ in 0..<200 where !both.value { mistakes.add() }
        isOver.value = true
      } else {
        while !isOver.value { source.modify { $0 += 1 } }
      }
    }
    #expect(mistakes.value == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func `observing and leaving during writes loses no change and shows no mixture`() {
    let left = MutableProperty(0)
    let right = MutableProperty(0)
    let low = Property.derived(left, right) { min($0, $1) }
    let sum = Property.derived(left, low, right) { [$0, $1, $2] }
    let mistakes = Counter()
    withThreads(4) { thread in
      for round in 0..<1_500 {
        switch thread {
        case 0: left.value = round
        case 1: right.value = round
        default:
          let last = Box<[Int]>()
          let subscription = sum.sink { values in
            if values[1] != min(values[0], values[2]) { mistakes.add() }
            last.value = values
          }
          if last.value == nil { mistakes.add() }
          subscription.cancel()
          let value = sum.value
          if value[1] != min(value[0], value[2]) { mistakes.add() }
        }
      }
    }
    #expect(mistakes.value == 0)
    #expect(sum.value == [1_499, 1_499, 1_499])
  }

  @Test func `a property that a transform only reads is no dependency`() {
    let input = MutableProperty(1)
    let aside = MutableProperty(10)
    let computations = Counter()
    let sum = Property.derived(input) { value in
      computations.add()
      return value + aside.value
    }
    let log = Log<Int>()
    let subscription = sum.sink { log.add($0) }
    aside.value = 20
    #expect(computations.value == 1)
    input.value = 2
    #expect(log.entries == [11, 22])
    withExtendedLifetime(subscription) {}
  }
}

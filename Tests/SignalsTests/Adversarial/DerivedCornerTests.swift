import Signals
import TestSupport
import Testing

@Suite("Adversarial: corner cases of derived values") struct DerivedCornerTests {
  @Test(.patient, arguments: [false, true])
  func `a write during a subscription reaches a subscriber that is not yet counted`(onlyChanges: Bool) {
    let source = MutableProperty(0)
    let isFirst = Box(true)
    let derived = Property.derived(source) { value in
      if isFirst.value == true {
        isFirst.value = false
        withThreads(1) { _ in source.value = 1 }
      }
      return value
    }
    let log = Log<Int>()
    let subscription = onlyChanges ? derived.changes.sink { log.add($0) } : derived.sink { log.add($0) }
    #expect(log.entries == (onlyChanges ? [1] : [0, 1]))
    withExtendedLifetime(subscription) {}
  }

  @Test(.patient)
  func `a deep derived value may lose its observer between the write and its update`() {
    let source = MutableProperty(0)
    let mistakes = Counter()
    let subscription = Box<SignalSubscription>()
    let first = source.changes.sink { _ in subscription.value = nil }
    var last: Property<Int> = source
    for _ in 0..<1_000 { last = Property.derived(last) { $0 + 1 } }
    subscription.value = last.changes.sink { _ in mistakes.add() }
    source.value = 1
    #expect(mistakes.value == 0)
    #expect(last.value == 1_001)
    withExtendedLifetime(first) {}
  }

  @Test func `a property released inside a batch sends the batch's writes before it ends`() {
    let log = Log<String>()
    let next = Log<String>()
    var source: MutableProperty<Int>? = MutableProperty(1)
    let derived = Property.derived(source!) { $0 + 1 }
    let subscriptions = [source!.trace(in: log), derived.trace(in: next)]
    batch {
      source?.value = 2
      source = nil
      #expect(log.entries == ["1"])
    }
    #expect(log.entries == ["1", "2", "|"])
    #expect(next.entries == ["2", "3", "|"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a subscription inside a batch starts with the current value, not the last observed one`() {
    let source = MutableProperty(1)
    let derived = Property.derived(source) { $0 * 10 }
    derived.sink { _ in }.cancel()
    source.value = 2
    let log = Log<Int>()
    let subscription = Box<SignalSubscription>()
    batch {
      source.value = 3
      subscription.value = derived.sink { log.add($0) }
      #expect(log.entries == [30])
      source.value = 4
    }
    #expect(log.entries == [30, 40])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a subscription inside a batch to an observed value starts with the current value and repeats none`() {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let log = Log<String>()
    let tokens = Log<SignalSubscription>()
    tokens.add(double.sink { log.add("early \($0)") })
    batch {
      source.value = 5
      tokens.add(double.sink { log.add("late \($0)") })
      #expect(double.prefix(1).traced == ["10", "|"])
    }
    #expect(log.entries == ["early 2", "late 10", "early 10"])
    batch {
      source.value = 6
      tokens.add(double.sink { log.add("later \($0)") })
      source.value = 7
    }
    #expect(log.entries.dropFirst(3) == ["later 12", "early 14", "late 14", "later 14"])
  }

  @Test func `a value that reverts in a batch is sent only to subscribers that saw another value`() {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let log = Log<String>()
    let tokens = Log<SignalSubscription>()
    tokens.add(double.sink { log.add("early \($0)") })
    batch {
      source.value = 5
      tokens.add(double.sink { log.add("late \($0)") })
      source.value = 1
      tokens.add(double.sink { log.add("last \($0)") })
    }
    #expect(log.entries == ["early 2", "late 10", "last 2", "late 2"])
    source.value = 3
    #expect(log.entries.dropFirst(4) == ["early 6", "late 6", "last 6"])
  }

  @Test func `a subscription inside a batch to a chain of derived values starts with the current value`() {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let next = Property.derived(double) { $0 + 1 }
    let log = Log<String>()
    let tokens = Log<SignalSubscription>()
    tokens.add(next.sink { log.add("early \($0)") })
    batch {
      source.value = 5
      tokens.add(next.sink { log.add("late \($0)") })
    }
    #expect(log.entries == ["early 3", "late 11", "early 11"])
  }

  @Test func `a subscription to changes inside a batch omits the value that was readable there`() {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let log = Log<String>()
    let tokens = Log<SignalSubscription>()
    tokens.add(double.changes.sink { log.add("early \($0)") })
    batch {
      source.value = 5
      tokens.add(double.changes.sink { log.add("late \($0)") })
    }
    #expect(log.entries == ["early 10"])
    source.value = 6
    #expect(log.entries == ["early 10", "early 12", "late 12"])
  }

  @Test func `a subscription on another thread receives nothing of a batch before its end`() {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let log = Log<String>()
    let tokens = Log<SignalSubscription>()
    tokens.add(double.sink { log.add("early \($0)") })
    batch {
      source.value = 5
      withThreads(1) { _ in
        // A subscription that ends may leave its memory to the next one.
        batch { double.sink { _ in }.cancel() }
        tokens.add(double.sink { log.add("late \($0)") })
      }
    }
    #expect(log.entries == ["early 2", "late 2", "early 10", "late 10"])
  }
}

import Signals
import TestSupport
import Testing

@Suite("Batches", .patient)
struct BatchTests {
  @Test func `several writes are one change for each observer`() {
    let first = MutableProperty("Ada")
    let last = MutableProperty("Byron")
    let name = Property.derived(first, last) { "\($0) \($1)" }
    let log = Log<String>()
    let subscriptions = [name.sink { log.add($0) }, first.changes.sink { log.add($0) }]
    batch {
      first.value = "?"
      first.value = "Augusta"
      last.value = "King"
      #expect(log.entries == ["Ada Byron"])
    }
    #expect(log.entries == ["Ada Byron", "Augusta", "Augusta King"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `reads inside a batch see the new values`() {
    let first = MutableProperty(1)
    let second = MutableProperty(1)
    let sum = Property.derived(first, second) { $0 + $1 }
    let subscription = sum.sink { _ in }
    batch {
      first.value = 10
      #expect(first.value == 10)
      #expect(sum.value == 11)
      second.value = 20
      #expect(sum.value == 30)
    }
    withExtendedLifetime(subscription) {}
  }

  @Test func `a derived value that reverts sends no change, even if it was read in between`() {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let log = Log<Int>()
    let subscription = double.sink { log.add($0) }
    batch {
      source.value = 2
      source.value = 1
    }
    batch {
      source.value = 3
      #expect(double.value == 6)
      source.value = 1
    }
    #expect(log.entries == [2])
    source.value = 4
    #expect(log.entries == [2, 8])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a property sends every write, even one that restores the old value`() {
    let source = MutableProperty(1)
    let log = Log<Int>()
    let subscription = source.changes.sink { log.add($0) }
    batch {
      source.value = 2
      source.value = 1
    }
    #expect(log.entries == [1])
    withExtendedLifetime(subscription) {}
  }

  @Test func `only the end of the outermost batch sends`() {
    let source = MutableProperty(0)
    let log = Log<Int>()
    let subscription = source.changes.sink { log.add($0) }
    let result = batch {
      batch { source.value = 1 }
      #expect(log.entries.isEmpty)
      batch { source.value = 2 }
      return "done"
    }
    #expect(result == "done")
    #expect(log.entries == [2])
    withExtendedLifetime(subscription) {}
  }

  @Test func `writes before an error are sent`() {
    let source = MutableProperty(0)
    let log = Log<Int>()
    let subscription = Property.derived(source) { $0 + 1 }.sink { log.add($0) }
    #expect(throws: Mishap.fire) {
      try batch {
        source.value = 1
        throw Mishap.fire
      }
    }
    #expect(log.entries == [1, 2])
    source.value = 5
    #expect(log.entries == [1, 2, 6])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a subscriber inside a batch receives each value once`() {
    let source = MutableProperty(0)
    let log = Log<String>()
    let early = source.sink { log.add("early \($0)") }
    let late = Box<SignalSubscription>()
    batch {
      source.value = 1
      late.value = source.sink { log.add("late \($0)") }
    }
    #expect(log.entries == ["early 0", "late 1", "early 1"])
    batch {
      source.value = 2
      late.value = source.sink { log.add("later \($0)") }
      source.value = 3
    }
    #expect(log.entries == ["early 0", "late 1", "early 1", "later 2", "early 3", "later 3"])
    withExtendedLifetime((early, late)) {}
  }

  @Test func `a subscription to changes inside a batch omits earlier writes`() {
    let source = MutableProperty(0)
    let log = Log<String>()
    let tokens = Log<SignalSubscription>()
    batch {
      source.value = 1
      tokens.add(source.changes.sink { log.add("early \($0)") })
    }
    #expect(log.entries == [])
    batch {
      source.value = 2
      tokens.add(source.changes.sink { log.add("late \($0)") })
      source.value = 3
    }
    #expect(log.entries == ["early 3", "late 3"])
  }

  @Test func `an observer may write and begin its own batch`() {
    let left = MutableProperty(0)
    let right = MutableProperty(0)
    let sum = Property.derived(left, right) { $0 + $1 }
    let log = Log<Int>()
    let subscription = sum.sink { value in
      log.add(value)
      guard value < 8 else { return }
      batch {
        left.modify { $0 += 1 }
        right.modify { $0 += 1 }
      }
    }
    #expect(log.entries == [0, 2, 4, 6, 8])
    withExtendedLifetime(subscription) {}
  }

  @Test func `observers on other threads never see half a batch and lose none of their own writes`() {
    let left = MutableProperty(0)
    let right = MutableProperty(0)
    let other = MutableProperty(0)
    let difference = Property.derived(left, right, other) { [$0 - $1, $2] }
    let mistakes = Counter()
    let last = Box<[Int]>()
    let subscription = difference.sink { values in
      if values[0] != 0 { mistakes.add() }
      last.value = values
    }
    withThreads(3) { thread in
      for round in 1...2_000 {
        switch thread {
        case 0:
          batch {
            left.modify { $0 += 1 }
            right.modify { $0 += 1 }
          }
        case 1:
          batch {
            right.modify { $0 -= 1 }
            left.modify { $0 -= 1 }
          }
        default: other.value = round
        }
      }
    }
    #expect(mistakes.value == 0)
    #expect(last.value == [0, 2_000])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a property that several threads change in batches sends its last value last and repeats none`() {
    let source = MutableProperty(0)
    let log = Log<Int>()
    let subscription = source.changes.sink { log.add($0) }
    withThreads(3) { _ in
      for _ in 0..<1_000 {
        batch {
          source.modify { $0 += 1 }
          source.modify { $0 += 1 }
        }
      }
    }
    #expect(log.entries.last == 6_000)
    #expect(log.entries == log.entries.sorted())
    #expect(Set(log.entries).count == log.entries.count)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a batch does not delay the values of an emitter`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = emitter.sink { log.add($0) }
    batch {
      emitter.send(1)
      #expect(log.entries == [1])
    }
    withExtendedLifetime(subscription) {}
  }

  @Test func `a batch retains nothing after its end`() {
    let released = Counter()
    do {
      let probe = MutableProperty(Probe { released.add() })
      batch { probe.value = Probe { released.add() } }
      #expect(released.value == 1)
    }
    #expect(released.value == 2)
  }

  @Test func `a batch does not retain the captures of a subscriber that came and left inside it`() {
    let source = MutableProperty(0)
    let released = Counter()
    batch {
      source.value = 1
      do {
        let probe = Probe { released.add() }
        source.sink { _ in probe.touch() }.cancel()
      }
      #expect(released.value == 1)
    }
  }
}

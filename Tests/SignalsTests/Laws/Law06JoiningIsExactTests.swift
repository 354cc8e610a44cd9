import Signals
import TestSupport
import Testing

@Suite("Law 6: Joining is exact", .patient)
struct Law06JoiningIsExactTests {
  @Test func `a property sends its current value inside the call that subscribes`() {
    let property = MutableProperty(7)
    let log = Log<Int>()
    let subscription = property.sink { log.add($0) }
    #expect(log.entries == [7])
    property.value = 8
    #expect(log.entries == [7, 8])
    withExtendedLifetime(subscription) {}
  }

  @Test func `changes omits the current value`() {
    let property = MutableProperty(7)
    let log = Log<Int>()
    let subscription = property.changes.sink { log.add($0) }
    property.value = 8
    #expect(log.entries == [8])
    withExtendedLifetime(subscription) {}
  }

  @Test func `joining during concurrent writes leaves no gap and repeats no value`() {
    let property = MutableProperty(0)
    let logs = Log<Log<Int>>()
    let subscriptions = Log<SignalSubscription>()
    withThreads(4) { index in
      for _ in 0..<2_000 {
        if index < 2 {
          property.modify { $0 += 1 }
        } else if logs.entries.count < 400 {
          let log = Log<Int>()
          subscriptions.add(property.sink { log.add($0) })
          logs.add(log)
        }
      }
    }
    #expect(property.value == 4_000)
    for log in logs.entries {
      let entries = log.entries
      #expect(entries.first.map { Array($0...4_000) } == entries)
    }
  }

  @Test func `a subscriber that joins a property during a delivery receives the current value exactly once`() {
    let property = MutableProperty(0)
    let log = Log<String>()
    let late = Box<SignalSubscription>()
    let first = property.changes.sink { value in
      if value == 1 { late.value = property.sink { log.add("late \($0)") } }
    }
    property.value = 1
    property.value = 2
    #expect(log.entries == ["late 1", "late 2"])
    withExtendedLifetime(first) {}
  }

  @Test func `a subscriber that joins a property while a newer value waits receives the newer one, once`() {
    let property = MutableProperty(0)
    let log = Log<String>()
    let late = Box<SignalSubscription>()
    let first = property.changes.sink { value in
      guard value == 1 else { return }
      property.value = 2
      late.value = property.sink { log.add("late \($0)") }
      property.value = 3
    }
    property.value = 1
    #expect(log.entries == ["late 2", "late 3"])
    withExtendedLifetime(first) {}
  }

  @Test func `a subscriber that joins an emitter during a delivery begins with the next value`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let late = Box<SignalSubscription>()
    let first = emitter.sink { value in
      if value == 1 { late.value = emitter.sink { log.add("late \($0)") } }
    }
    emitter.send(1)
    emitter.send(2)
    #expect(log.entries == ["late 2"])
    withExtendedLifetime(first) {}
  }

  @Test func `no gap and no repetition separates replayed values from live ones`() {
    let emitter = Emitter<Int, Never>(replay: 3)
    let logs = Log<Log<Int>>()
    let subscriptions = Log<SignalSubscription>()
    withThreads(3) { index in
      if index == 0 {
        for number in 1...3_000 { emitter.send(number) }
      } else {
        for _ in 0..<100 {
          let log = Log<Int>()
          subscriptions.add(emitter.sink { log.add($0) })
          logs.add(log)
        }
      }
    }
    for log in logs.entries {
      let entries = log.entries
      #expect(entries.first.map { Array($0...3_000) } == entries)
    }
  }
}

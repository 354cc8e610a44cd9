import Signals
import TestSupport
import Testing

@Suite("Law 3: Re-entrancy", .patient)
struct Law03ReentrancyTests {
  @Test func `a value sent during a delivery follows the delivered one, for every subscriber`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscriptions = [
      emitter.sink { value in
        log.add("A\(value)")
        if value == 1 { emitter.send(2) }
      },
      emitter.sink { log.add("B\($0)") },
    ]
    emitter.send(1)
    #expect(log.entries == ["A1", "B1", "A2", "B2"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a million chained sends do not deepen the stack`() {
    let emitter = Emitter<Int, Never>()
    let count = Counter()
    let subscription = emitter.sink { value in
      count.add()
      if value < 1_000_000 { emitter.send(value + 1) }
    }
    emitter.send(1)
    #expect(count.value == 1_000_000)
    withExtendedLifetime(subscription) {}
  }

  @Test func `reading and writing other properties in a callback never deadlocks`() {
    let left = MutableProperty(0)
    let right = MutableProperty(0)
    let subscriptions = [
      left.changes.sink { value in if value < 5_000 { right.value = left.value + value } },
      right.changes.sink { value in if value < 5_000 { left.modify { $0 = max($0, value) + 1 } } },
    ]
    withThreads(2) { index in (index == 0 ? left : right).value = 1 }
    #expect(left.value >= 1)
    #expect(right.value >= 1)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `two sources that send into each other from two threads never deadlock`() {
    let ping = Emitter<Int, Never>()
    let pong = Emitter<Int, Never>()
    let count = Counter()
    let subscriptions = [
      ping.sink { value in if value > 0 { pong.send(value - 1) } else { count.add() } },
      pong.sink { value in if value > 0 { ping.send(value - 1) } else { count.add() } },
    ]
    withThreads(4) { index in
      for _ in 0..<500 { (index % 2 == 0 ? ping : pong).send(20) }
    }
    #expect(count.value == 2_000)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a property written in its own callback sends the new value after the old one to every subscriber`() {
    let property = MutableProperty(0)
    let log = Log<String>()
    let subscriptions = [
      property.changes.sink { value in
        log.add("A\(value)")
        if value < 3 { property.value = value + 1 }
      },
      property.changes.sink { log.add("B\($0)") },
    ]
    property.value = 1
    #expect(log.entries == ["A1", "B1", "A2", "B2", "A3", "B3"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `modify may read and write other properties, and read its own`() {
    let left = MutableProperty(1)
    let right = MutableProperty(10)
    let sum = left.modify { value in
      right.value += value
      value = left.value + right.value
      return value
    }
    #expect(sum == 12)
    #expect(left.value == 12)
    #expect(right.value == 11)
  }

  @Test func `threads that nest modify in opposite orders never deadlock`() {
    let left = MutableProperty(0)
    let right = MutableProperty(0)
    withThreads(4) { index in
      for _ in 0..<500 {
        let (outer, inner) = index % 2 == 0 ? (left, right) : (right, left)
        outer.modify { value in
          _ = inner.value
          value += 1
        }
      }
    }
    #expect(left.value == 1_000)
    #expect(right.value == 1_000)
  }

  @Test func `the deinitializer of a value may send`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = emitter.sink { log.add($0) }
    let property = MutableProperty<Probe?>(Probe { emitter.send(1) })
    let watcher = property.sink { _ in }
    property.value = nil
    #expect(log.entries == [1])
    withExtendedLifetime((subscription, watcher)) {}
  }
}

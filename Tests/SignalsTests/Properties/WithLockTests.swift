import Dispatch
import Observation
import Signals
import TestSupport
import Testing

@Suite("withLock", .patient)
struct WithLockTests {
  @Test func `a uniquely referenced array is mutated in place`() {
    var numbers: [Int] = []
    numbers.reserveCapacity(1_000)
    let property = MutableProperty(numbers)
    numbers = []
    let count = Counter()
    let subscriptions = [
      property.changes.sink { _ in count.add() },
      Property.derived(property, \.count).sink { _ in },
    ]
    let place = property.withLock(address)
    for number in 1...1_000 { property.withLock { $0.append(number) } }
    #expect(property.withLock(address) == place)
    #expect(property.value == Array(1...1_000))
    #expect(count.value == 1_002)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a shared array is copied, and the other copy is unchanged`() {
    let property = MutableProperty([1])
    let held = property.value
    property.withLock { $0.append(2) }
    #expect(held == [1])
    #expect(property.value == [1, 2])
  }

  @Test func `withLock returns what its body returns, and sends the result once`() {
    let property = MutableProperty(["a", "b"])
    let log = Log<[String]>()
    let subscription = property.sink { log.add($0) }
    #expect(property.withLock { $0.removeLast() } == "b")
    #expect(log.entries == [["a", "b"], ["a"]])
    withExtendedLifetime(subscription) {}
  }

  @Test func `withLock keeps and sends its body's changes even if the body throws`() {
    let property = MutableProperty([1])
    let log = Log<[Int]>()
    let subscription = property.sink { log.add($0) }
    #expect(throws: Mishap.fire) {
      try property.withLock { (numbers: inout [Int]) throws(Mishap) -> Void in
        numbers.append(2)
        throw .fire
      }
    }
    property.withLock { $0.append(3) }
    #expect(log.entries == [[1], [1, 2], [1, 2, 3]])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a batch holds back changes made by withLock, and keeps no copy of the value`() {
    let property = MutableProperty<[Int]>([])
    property.withLock { $0.reserveCapacity(100) }
    let log = Log<Int>()
    let subscription = Property.derived(property, \.count).sink { log.add($0) }
    let place = property.withLock(address)
    batch {
      for number in 0..<100 { property.withLock { $0.append(number) } }
      #expect(property.withLock(address) == place)
    }
    #expect(log.entries == [0, 100])
    withExtendedLifetime(subscription) {}
  }

  @Test func `concurrent reads, writes, subscriptions and derivations see every change of withLock whole`() {
    let property = MutableProperty<[Int]>([])
    let breaches = Log<String>()
    let check = { @Sendable (numbers: [Int], place: String) in
      if numbers.last ?? 0 != numbers.count { breaches.add("\(place): \(numbers.count), \(numbers.last ?? 0)") }
    }
    let counts = Property.derived(property) { numbers in
      check(numbers, "derived")
      return numbers.count
    }
    let highest = Box(0)
    let subscriptions = [
      counts.sink { count in
        if count < highest.value ?? 0 { breaches.add("\(count) after \(highest.value ?? 0)") }
        highest.value = count
      },
      property.sink { check($0, "subscriber") },
    ]
    withThreads(6) { index in
      for _ in 0..<1_000 {
        switch index {
        case 0, 1: property.withLock { $0.append($0.count + 1) }
        case 2: property.modify { $0.append($0.count + 1) }
        case 3:
          batch {
            property.withLock { $0.append($0.count + 1) }
            check(property.value, "batch")
          }
        case 4: if counts.value > property.value.count { breaches.add("derived values are ahead") }
        default: property.sink { check($0, "new subscriber") }.cancel()
        }
      }
    }
    #expect(breaches.entries.isEmpty)
    #expect(property.value == Array(1...4_000))
    #expect(counts.value == 4_000 && highest.value == 4_000)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `concurrent withLock and modify lose no change`() {
    let property = MutableProperty<[Int]>([])
    withThreads(4) { index in
      for _ in 0..<2_000 {
        if index < 2 { property.withLock { $0.append(index) } } else { property.modify { $0.append(index) } }
      }
    }
    #expect((0..<4).allSatisfy { index in property.value.count { $0 == index } == 2_000 })
  }

  @Test func `a concurrent read waits and returns the new value`() {
    let property = MutableProperty(["old"])
    let isLocked = DispatchSemaphore(value: 0)
    let isReading = DispatchSemaphore(value: 0)
    withThreads(2) { index in
      if index == 0 {
        property.withLock { value in
          isLocked.signal()
          isReading.wait()
          value = ["new"]
        }
      } else {
        isLocked.wait()
        isReading.signal()
        #expect(property.value == ["new"])
      }
    }
  }

  @Test func `Swift Observation is notified of changes made by withLock`() {
    let property = MutableProperty([1])
    let count = Counter()
    withObservationTracking {
      _ = property.value
    } onChange: {
      count.add()
    }
    property.withLock { $0.append(2) }
    #expect(count.value == 1)
  }

  @Test func `reading a property inside its own withLock stops with an explanation instead of hanging`() async {
    await #expect(processExitsWith: .failure) {
      let property = MutableProperty([1])
      property.withLock { $0.append(property.value.count) }
    }
  }

  @Test func `writing a property inside its own withLock stops with an explanation instead of hanging`() async {
    await #expect(processExitsWith: .failure) {
      let property = MutableProperty(1)
      property.withLock { _ in property.value = 2 }
    }
  }

  @Test func `reading a derived value inside its input's withLock stops with an explanation`() async {
    await #expect(processExitsWith: .failure) {
      let property = MutableProperty([1])
      let count = Property.derived(property, \.count)
      property.withLock { $0.append(count.value) }
    }
  }
}

/// The address of an array's elements.
private func address(_ numbers: inout [Int]) -> UInt {
  numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
}

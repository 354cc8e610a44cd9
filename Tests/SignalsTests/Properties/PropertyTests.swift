import Signals
import TestSupport
import Testing

@Suite("Property", .patient)
struct PropertyTests {
  @Test func `a constant sends its value to every subscriber`() {
    let log = Log<Int>()
    let subscription = Property.constant(5).sink { log.add($0) }
    #expect(log.entries == [5])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a mutable property can be shared as a read-only one`() {
    let mutable = MutableProperty("a")
    let readOnly: Property<String> = mutable
    mutable.value = "b"
    #expect(readOnly.value == "b")
  }

  @Test func `modify returns what its body returns`() {
    let property = MutableProperty([1, 2, 3])
    #expect(property.modify { $0.removeLast() } == 3)
    #expect(property.value == [1, 2])
  }

  @Test func `modify that throws changes nothing and sends nothing`() {
    let property = MutableProperty(1)
    let log = Log<Int>()
    let subscription = property.sink { log.add($0) }
    #expect(throws: Mishap.fire) {
      try property.modify { (value: inout Int) throws(Mishap) -> Void in
        value = 2
        throw .fire
      }
    }
    #expect(property.value == 1)
    #expect(log.entries == [1])
    withExtendedLifetime(subscription) {}
  }

  @Test func `four threads that modify lose no change, and each change is sent once`() {
    let property = MutableProperty(0)
    let count = Counter()
    let subscription = property.changes.sink { _ in count.add() }
    withThreads(4) { _ in for _ in 0..<25_000 { property.modify { $0 += 1 } } }
    #expect(property.value == 100_000)
    #expect(count.value == 100_000)
    withExtendedLifetime(subscription) {}
  }

  @Test func `writing a property inside its own modify stops with an explanation instead of hanging`() async {
    await #expect(processExitsWith: .failure) {
      let property = MutableProperty(0)
      property.modify { value in
        property.value = 1
        value = 2
      }
    }
  }

  @Test func `a property made from a signal follows it as long as the property is retained`() {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    var property: Property<Int>?
    do {
      let probe = Probe { released.add() }
      property = emitter.map { value in
        probe.touch()
        return value
      }.property(initial: 0)
    }
    emitter.send(3)
    #expect(property?.value == 3)
    property = nil
    #expect(released.value == 1)
  }

  @Test func `a subscription alone retains the signal that feeds a property`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = emitter.property(initial: 0).map { $0 * 2 }.sink { log.add($0) }
    emitter.send(4)
    #expect(log.entries == [0, 8])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a model that observes its own property is released`() {
    final class Model: Sendable {
      let property = MutableProperty(0)
      let subscription = Box<SignalSubscription>()
      let onRelease: @Sendable () -> Void

      init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
        subscription.value = property.sink { [weak self] _ in _ = self }
      }

      deinit { onRelease() }
    }
    let released = Counter()
    var model: Model? = Model { released.add() }
    model?.property.value = 1
    model = nil
    #expect(released.value == 1)
  }

  @Test func `a value equal to the previous one is sent like any other`() {
    let property = MutableProperty(1)
    let log = Log<Int>()
    let subscription = property.sink { log.add($0) }
    property.value = 1
    property.modify { $0 = 1 }
    #expect(log.entries == [1, 1, 1])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a property prints its value`() {
    let word = MutableProperty("hello")
    let readOnly: Property<String> = word
    #expect("\(word)" == "MutableProperty<String>(hello)")
    #expect(String(describing: readOnly) == "MutableProperty<String>(hello)")
    #expect("\(Property.constant(5))" == "Property<Int>(5)")
    #expect("\(word.map(\.count).property(initial: 0))" == "Property<Int>(5)")
  }

  @Test func `printing a derived value computes nothing`() {
    let word = MutableProperty("hello")
    let computations = Counter()
    let length = Property.derived(word) { word in
      computations.add()
      return word.count
    }
    #expect("\(length)" == "Property<Int>(not computed)")
    #expect(computations.value == 0)
    let subscription = length.sink { _ in }
    #expect("\(length)" == "Property<Int>(5)")
    word.value = "hi"
    #expect("\(length)" == "Property<Int>(2)")
    #expect(computations.value == 2)
    #expect(length.subscriberCount == 1)
    subscription.cancel()
    #expect("\(length)" == "Property<Int>(not computed)")
  }

  @Test func `a property can be printed from any of its own closures`() {
    let log = Log<String>()
    let numbers = MutableProperty([1])
    let derived = Box<Property<Int>>()
    derived.value = Property.derived(numbers) { numbers in
      log.add("\(String(describing: derived.value))")
      return numbers.count
    }
    let subscription = derived.value?.sink { _ in log.add("\(numbers)") }
    numbers.modify { _ in log.add("\(numbers)") }
    numbers.withLock { _ in log.add("\(numbers)") }
    #expect(
      log.entries.filter { $0.hasPrefix("Mutable") } == [
        "MutableProperty<Array<Int>>([1])", "MutableProperty<Array<Int>>([1])",
        "MutableProperty<Array<Int>>(being changed)",
      ])
    #expect(log.entries.contains("Optional(Property<Int>(not computed))"))
    withExtendedLifetime(subscription) {}
    derived.value = nil
  }
}

import Observation
import Signals
import TestSupport
import Testing

@Suite("Observation")
struct ObservationTests {
  /// Reads while tracking, and logs the next change.
  private func track(_ log: Log<String>, _ name: String, _ read: () -> Void) {
    withObservationTracking(read) { log.add(name) }
  }

  @Test func `a change to a tracked property is announced once`() {
    let property = MutableProperty(1)
    let log = Log<String>()
    track(log, "changed") { _ = property.value }
    property.value = 2
    property.value = 3
    #expect(log.entries == ["changed"])
    track(log, "again") { _ = property.value }
    property.modify { $0 += 1 }
    #expect(log.entries == ["changed", "again"])
  }

  @Test func `the new value is readable when its change is announced`() {
    let property = MutableProperty(1)
    let log = Log<Int>()
    withObservationTracking {
      _ = property.value
    } onChange: {
      log.add(property.value)
    }
    property.value = 2
    #expect(log.entries == [2])
  }

  @Test func `a property that was not tracked is not announced`() {
    let read = MutableProperty(1)
    let other = MutableProperty(1)
    let log = Log<String>()
    _ = other.value
    track(log, "changed") { _ = read.value }
    other.value = 2
    #expect(log.entries.isEmpty)
    read.value = 2
    #expect(log.entries == ["changed"])
  }

  @Test func `a change to a tracked derived value is announced, whether or not it is observed`() {
    let left = MutableProperty(1)
    let right = MutableProperty(1)
    let sum = Property.derived(Property.derived(left) { $0 }, right) { $0 + $1 }
    let log = Log<String>()
    track(log, "left") { _ = sum.value }
    left.value = 2
    track(log, "right") { _ = sum.value }
    right.value = 2
    #expect(log.entries == ["left", "right"])
    #expect(sum.value == 4)
  }

  @Test func `a batch announces its changes at its end`() {
    let property = MutableProperty(1)
    let log = Log<String>()
    track(log, "changed") { _ = property.value }
    batch {
      property.value = 2
      property.value = 3
      #expect(log.entries.isEmpty)
    }
    #expect(log.entries == ["changed"])
  }

  @Test func `an observed value is tracked like its property`() {
    final class Model {
      @Observed var count = 0
    }
    let model = Model()
    let log = Log<String>()
    track(log, "changed") { _ = model.count }
    model.count += 1
    #expect(log.entries == ["changed"])
  }

  @Test func `concurrent tracking misses no later change`() {
    let properties = (0..<4).map { _ in MutableProperty(0) }
    let announced = Counter()
    withThreads(4) { thread in
      for round in 1...2_000 {
        withObservationTracking {
          _ = properties[thread].value
        } onChange: {
          announced.add()
        }
        properties[thread].value = round
      }
    }
    #expect(announced.value == 8_000)
  }

  @Test func `releasing a property releases the closures that track it`() {
    let released = Counter()
    do {
      let property = MutableProperty(1)
      let derived = Property.derived(property) { $0 }
      for read in [{ _ = property.value }, { _ = derived.value }] {
        let probe = Probe { released.add() }
        withObservationTracking(read) { probe.touch() }
      }
      #expect(released.value == 0)
    }
    #expect(released.value == 2)
  }

  @Test func `tracking does not retain a property`() {
    let released = Counter()
    do {
      let property = MutableProperty(Probe { released.add() })
      withObservationTracking {
        property.value.touch()
      } onChange: {
      }
    }
    #expect(released.value == 1)
  }

  @Test(.patient)
  func `a reader and a writer in lock-step never lose a change`() async {
    let property = MutableProperty(0)
    let rounds = 20_000
    let seen = Emitter<Int, Never>()
    let reader = seen.values.makeAsyncIterator()
    Task.detached {
      var expected = 0
      while expected <= rounds {
        let (changed, change) = AsyncStream.makeStream(of: Void.self)
        let value = withObservationTracking {
          property.value
        } onChange: {
          change.finish()
        }
        if value >= expected {
          expected = value + 1
          seen.send(value)
        }
        if value < rounds, property.value == value {
          for await _ in changed {}
        }
      }
    }
    var iterator = reader
    var value = await iterator.next() ?? -1
    while value < rounds {
      property.value = value + 1
      value = await iterator.next() ?? -1
    }
    #expect(value == rounds)
  }

  @Test(.patient)
  func `with many writing threads, the last value is seen`() async throws {
    let property = MutableProperty(0)
    let total = 40_000
    async let writing: Void = onThread {
      withThreads(4) { _ in
        for _ in 0..<10_000 { property.modify { $0 += 1 } }
      }
    }
    var value = 0
    while value < total {
      let (changed, change) = AsyncStream.makeStream(of: Void.self)
      value = withObservationTracking {
        property.value
      } onChange: {
        change.finish()
      }
      if value < total, property.value == value {
        for await _ in changed {}
      }
    }
    try await writing
    #expect(value == total)
  }
}

import Observation
import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Observations", .patient)
struct ObservationsTests {
  @MainActor @Observable final class Model {
    var first = 0
    var second = 0
  }

  @Test func `properties that change between two iterations give their last values, once`() async {
    let left = MutableProperty(1)
    let right = MutableProperty(10)
    var sums = Observations { left.value + right.value }.makeAsyncIterator()
    #expect(await sums.next() == 11)
    left.value = 2
    right.value = 20
    #expect(await sums.next() == 22)
    batch {
      left.value = 3
      right.value = 30
    }
    #expect(await sums.next() == 33)
  }

  @Test func `a derived value and a lens take part`() async {
    struct Audio: Equatable, Sendable {
      var volume = 5
    }
    let audio = MutableProperty(Audio())
    let isLoud = Property.derived(audio) { $0.volume > 10 }
    let volume = audio.lens(\.volume)
    var texts = Observations { "\(volume.value) \(isLoud.value)" }.makeAsyncIterator()
    #expect(await texts.next() == "5 false")
    volume.value = 11
    #expect(await texts.next() == "11 true")
  }

  @Test func `a reader and a writer in lock-step never lose a change`() async {
    let property = MutableProperty(0)
    let rounds = 50_000
    let seen = Emitter<Int, Never>()
    var values = seen.values.makeAsyncIterator()
    let observing = Task.detached {
      for await value in Observations({ property.value }) {
        seen.send(value)
        if value == rounds { break }
      }
    }
    var value = await values.next() ?? rounds
    while value < rounds {
      property.value = value + 1
      value = await values.next() ?? rounds
    }
    await observing.value
    #expect(property.value == rounds)
  }

  @Test @MainActor func `the signal of observations sends each transaction once`() async throws {
    let model = Model()
    let sums = Observations { model.first + model.second }.signal.recorded()
    try await sums.wait(for: 0)
    model.first = 1
    model.second = 2
    try await sums.wait(for: 3)
    model.second = 5
    try await sums.wait(for: 6)
    #expect(sums.elements == [0, 3, 6])
  }

  @Test @MainActor func `cancelling the signal ends its observation and releases the model`() async throws {
    let released = MutableProperty(false)
    do {
      final class Owner: Sendable {
        let model: Model
        let probe: Probe

        init(_ model: Model, _ probe: Probe) {
          self.model = model
          self.probe = probe
        }
      }
      let owner = Owner(Model(), Probe { released.value = true })
      let seen = MutableProperty(-1)
      let numbers = Observations {
        owner.probe.touch()
        return owner.model.first
      }
      let subscription = numbers.signal.sink { seen.value = $0 }
      try await seen.firstValue("the first value") { $0 == 0 }
      owner.model.first = 1
      try await seen.firstValue("the next value") { $0 == 1 }
      subscription.cancel()
      owner.model.first = 2
      #expect(seen.value == 1)
    }
    try await released.firstValue("the release of the model") { $0 }
  }

  @Test @MainActor func `observations that finish end their signal`() async {
    let model = Model()
    let numbers = Observations.untilFinished { model.first < 1 ? .next(model.first) : .finish }.signal
    var received: [Int] = []
    for await number in numbers.values {
      received.append(number)
      model.first += 1
    }
    #expect(received == [0])
  }
}

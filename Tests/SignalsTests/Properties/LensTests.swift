import Observation
import Signals
import TestSupport
import Testing

@Suite("Lenses", .patient)
struct LensTests {
  struct Audio: Equatable, Sendable {
    var volume = 5
    var balance = Balance()
  }

  struct Balance: Equatable, Sendable {
    var left = 0
    var right = 0
  }

  struct Refusal: Error, Equatable {}

  @Test func `a lens reads and writes its part, and nothing else`() {
    let audio = MutableProperty(Audio())
    let volume = audio.lens(\.volume)
    audio.modify { $0.balance.left = 3 }
    volume.value = 7
    volume.modify { $0 += 1 }
    #expect(volume.value == 8)
    #expect(audio.value == Audio(volume: 8, balance: Balance(left: 3)))
  }

  @Test func `a lens sends the changes of its part only`() {
    let audio = MutableProperty(Audio())
    let volumes = Log<Int>()
    let wholes = Log<Audio>()
    let subscriptions = [
      audio.lens(\.volume).sink { volumes.add($0) }, audio.changes.sink { wholes.add($0) },
    ]
    audio.modify { $0.balance.left = 1 }
    audio.lens(\.volume).value = 6
    audio.value = Audio(volume: 9)
    #expect(volumes.entries == [5, 6, 9])
    #expect(wholes.entries.map(\.volume) == [5, 6, 9])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a part that cannot be compared is sent after every change`() {
    struct Opaque: Sendable { var number = 0 }
    struct Whole: Sendable {
      var part = Opaque()
      var other = 0
    }
    let whole = MutableProperty(Whole())
    let seen = Log<Int>()
    let subscription = whole.lens(\.part).sink { seen.add($0.number) }
    whole.modify { $0.other = 1 }
    whole.lens(\.part).lens(\.number).value = 2
    #expect(seen.entries == [0, 0, 2])
    subscription.cancel()
  }

  @Test func `lenses compose`() {
    let audio = MutableProperty(Audio())
    let balance = audio.lens(\.balance)
    let left = balance.lens(\.left)
    let seen = Log<Int>()
    let subscription = left.sink { seen.add($0) }
    left.value = 1
    balance.modify { $0.right = 9 }
    balance.value = Balance(left: 2, right: 9)
    left.modify { $0 += 1 }
    #expect(seen.entries == [0, 1, 2, 3])
    #expect(audio.value.balance == Balance(left: 3, right: 9))
    subscription.cancel()
  }

  @Test func `a lens of the whole and of an element of a collection work`() {
    let numbers = MutableProperty([1, 2, 3])
    numbers.lens(\.self).value = [4, 5, 6]
    numbers.lens(\.[1]).modify { $0 *= 10 }
    #expect(numbers.value == [4, 50, 6])
  }

  @Test func `modify returns its result, and an error leaves the property unchanged`() throws {
    let audio = MutableProperty(Audio())
    let left = audio.lens(\.balance).lens(\.left)
    let seen = Log<Audio>()
    let subscription = audio.changes.sink { seen.add($0) }
    let old = left.modify { value in
      defer { value = 4 }
      return value
    }
    #expect(old == 0)
    #expect(throws: Refusal()) {
      try left.modify { value throws(Refusal) in
        value = 99
        throw Refusal()
      }
    }
    #expect(left.value == 4)
    #expect(seen.entries.count == 1)
    subscription.cancel()
  }

  @Test func `threads that write through different lenses lose nothing`() {
    let audio = MutableProperty(Audio())
    let left = audio.lens(\.balance).lens(\.left)
    let right = audio.lens(\.balance).lens(\.right)
    let volume = audio.lens(\.volume)
    withThreads(4) { thread in
      for _ in 0..<5_000 {
        switch thread {
        case 0: left.modify { $0 += 1 }
        case 1: right.modify { $0 += 1 }
        case 2: volume.modify { $0 += 1 }
        default: audio.modify { $0.volume += 1 }
        }
      }
    }
    #expect(audio.value == Audio(volume: 10_005, balance: Balance(left: 5_000, right: 5_000)))
  }

  @Test func `in a batch, writes through several lenses are one change`() {
    let audio = MutableProperty(Audio())
    let left = audio.lens(\.balance).lens(\.left)
    let right = audio.lens(\.balance).lens(\.right)
    let sums = Log<Int>()
    let subscription = Property.derived(left, right) { $0 + $1 }.sink { sums.add($0) }
    batch {
      left.value = 1
      right.value = 2
      #expect(left.value == 1)
    }
    #expect(sums.entries == [0, 3])
    subscription.cancel()
  }

  @Test func `a subscriber may write through the lens that called it`() {
    let audio = MutableProperty(Audio())
    let volume = audio.lens(\.volume)
    let seen = Log<Int>()
    let subscription = volume.sink {
      seen.add($0)
      if $0 > 10 { volume.value = 10 }
    }
    volume.value = 15
    #expect(seen.entries == [5, 15, 10])
    subscription.cancel()
  }

  @Test func `a lens keeps the property alive, and a subscription to it does not`() {
    let released = Counter()
    let completions = Counter()
    struct Whole: Sendable {
      var number = 0
      let probe: Probe
    }
    var lens: Lens<Int>? = MutableProperty(Whole(probe: Probe { released.add() })).lens(\.number)
    let subscription = lens?.sink(receiveCompletion: { _ in completions.add() }, receiveValue: { _ in })
    lens?.value = 1
    #expect(lens?.value == 1)
    #expect(completions.value == 0)
    lens = nil
    #expect(completions.value == 1)
    subscription?.cancel()
    #expect(released.value == 1)
  }

  @Test func `a view that makes a lens in its body is redrawn`() {
    let audio = MutableProperty(Audio())
    let drawn = Log<Int>()
    withObservationTracking {
      _ = audio.lens(\.balance).lens(\.left).value
    } onChange: {
      drawn.add(audio.value.balance.left)
    }
    audio.lens(\.balance.left).value = 1
    #expect(drawn.entries == [1])
  }

  @Test func `a lens may stand where a property is expected`() {
    let lens = MutableProperty(Audio()).lens(\.volume)
    let property: Property<Int> = lens
    let doubled = Property.derived(property) { $0 * 2 }
    lens.value = 4
    #expect(doubled.value == 8)
  }
}

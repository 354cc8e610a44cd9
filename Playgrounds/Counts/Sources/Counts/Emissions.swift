import CountingRuntime
import Dispatch
import Signals

typealias Source = Emitter<Int, Never>

/// Where subscribers leave what they received, so that the work cannot be optimised away.
final class Tally: @unchecked Sendable {  // Sound: a delivery never overlaps another one of the same source.
  @exclusivity(unchecked) var sum = 0

  @inline(__always)
  func add(_ value: Int) {
    sum &+= value
  }
}

/// What it costs to send a value.
let emissions: [Promise] = [
  Promise(title: "send, no subscriber", allocations: 0, retains: 0) {
    emission(Source()) { _, _ in [] }
  },
  Promise(title: "source → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.sink { tally.add($0) }] }
  },
  Promise(title: "map.filter → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in
      [source.map { $0 &+ 1 }.filter { $0 >= 0 }.sink { tally.add($0) }]
    }
  },
  Promise(title: "10 maps → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [tenMaps(source).sink { tally.add($0) }] }
  },
  Promise(title: "4 maps that capture → sink", allocations: 0, retains: 0) {
    let step = CommandLine.arguments.count
    return emission(Source()) { source, tally in
      [source.map { $0 &+ step }.map { $0 ^ step }.map { $0 &* step }.map { $0 &- step }.sink { tally.add($0) }]
    }
  },
  Promise(title: "fan-out 100, per send", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in (0..<100).map { _ in source.sink { tally.add($0) } } }
  },
  Promise(title: "property set → sink", allocations: 0, retains: 0) {
    let tally = Tally()
    let property = MutableProperty(0)
    return withExtendedLifetime(property.sink { tally.add($0) }) {
      counting { for value in 0..<$0 { property.value = value } }
    }
  },
  Promise(title: "scan → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.scan(0) { $0 &+ $1 }.sink { tally.add($0) }] }
  },
  Promise(title: "removeDuplicates → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.map { $0 >> 1 }.removeDuplicates().sink { tally.add($0) }] }
  },
  Promise(title: "dropFirst, drop while, prefix, prefix while → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in
      [source.dropFirst().drop { $0 < 2 }.prefix(.max).prefix { $0 >= 0 }.sink { tally.add($0) }]
    }
  },
  Promise(title: "drop and prefix until another sends → sink", allocations: 0, retains: 0) {
    let stop = Source()
    return emission(Source()) { source, tally in
      [source.drop(untilOutputFrom: .just(0)).prefix(untilOutputFrom: stop).sink { tally.add($0) }]
    }
  },
  Promise(title: "append and prepend → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in
      [source.prepend(1, 2).append(3).sink { tally.add($0) }, EmptySignal().append(source).sink { tally.add($0) }]
    }
  },
  Promise(title: "concat → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [concat(.just(1), source).sink { tally.add($0) }] }
  },
  Promise(title: "reduce, never ending", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.reduce(0) { $0 &+ $1 }.sink { tally.add($0) }] }
  },
  Promise(title: "handleEvents → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.handleEvents(receiveOutput: { tally.add($0) }).sink { tally.add($0) }]
    }
  },
  Promise(title: "a sequence → sink, per element", allocations: 0, retains: 0) {
    let tally = Tally()
    return counting { count in withExtendedLifetime((0..<count).signal.map { $0 &+ 1 }.sink { tally.add($0) }) {} }
  },
  Promise(title: "combineLatest of 2 → sink", allocations: 0, retains: 0) {
    let other = Source()
    return emission(Source()) { source, tally in
      let subscription = source.combineLatest(other).sink { tally.add($0 &+ $1) }
      other.send(1)
      return [subscription]
    }
  },
  Promise(title: "for await over a full buffer", allocations: 0) {
    drain()
  },
  Promise(title: "property read", allocations: 0, retains: 0) {
    let tally = Tally()
    let property = MutableProperty(1)
    return counting { for _ in 0..<$0 { tally.add(property.value) } }
  },
]

@inline(__always)
func tenMaps(_ source: Source) -> some Signal<Int, Never> {
  source.map { $0 &+ 1 }.map { $0 &+ 2 }.map { $0 &+ 3 }.map { $0 &+ 4 }.map { $0 &+ 5 }
    .map { $0 &+ 6 }.map { $0 &+ 7 }.map { $0 &+ 8 }.map { $0 &+ 9 }.map { $0 &+ 10 }
}

func emission(_ source: Source, _ subscribe: (Source, Tally) -> [SignalSubscription]) -> Cost {
  withExtendedLifetime(subscribe(source, Tally())) {
    counting { for value in 0..<$0 { source.send(value) } }
  }
}

/// Counts a thousand operations, after as many that are not counted, which fill caches and grow buffers.
func counting(_ body: (Int) -> Void) -> Cost {
  body(1_000)
  return Cost.perOperation(1_000) { body(1_000) }
}

/// Counts what it takes to get values out of a buffer that holds them already.
private func drain() -> Cost {
  let count = 1_000
  let source = Source()
  let iterator = Handover(source.values.makeAsyncIterator())
  let done = DispatchSemaphore(value: 0)
  let cost = Handover(CostCell())
  Task.detached {
    var values = iterator.value
    for value in 0..<count { source.send(value) }
    _ = await values.next(isolation: nil)
    counting_start()
    var sum = 0
    for _ in 1..<count { sum &+= await values.next(isolation: nil) ?? 0 }
    cost.value.cost = Cost(counting_stop(), operations: count - 1)
    precondition(sum == count * (count - 1) / 2)
    done.signal()
  }
  done.wait()
  return cost.value.cost
}

/// Carries a value into the one task that uses it.
private struct Handover<Value>: @unchecked Sendable {  // Sound: the semaphore orders the accesses.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

private final class CostCell {
  var cost = Cost()
}

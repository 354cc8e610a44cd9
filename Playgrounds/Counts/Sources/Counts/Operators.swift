import Signals

/// The cost of sending a value through operators that keep state.
let operators: [Promise] = [
  Promise(title: "pairwise → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.pairwise().sink { tally.add($0 &+ $1) }] }
  },
  Promise(title: "suffix, never ending", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.suffix(10).sink { tally.add($0) }] }
  },
  Promise(title: "switchIfEmpty → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.switchIfEmpty(JustSignal(0)).sink { tally.add($0) }] }
  },
  Promise(title: "race of 2 → sink", allocations: 0, retains: 0) {
    let other = Source()
    return emission(Source()) { source, tally in [race([source, other]).sink { tally.add($0) }] }
  },
  Promise(title: "prefix for a time → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.prefix(for: .seconds(3600)).sink { tally.add($0) }] }
  },
  Promise(title: "flatMapFirst, a value of the inner signal → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [JustSignal(0).flatMapFirst { _ in source }.sink { tally.add($0) }] }
  },
  Promise(title: "flatMapFirst, a dropped value", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in
      let subscription = source.flatMapFirst { _ in NeverSignal<Int, Never>() }.sink { tally.add($0) }
      source.send(0)
      return [subscription]
    }
  },
  // The buffer of an array grows nine times up to 1,000 values.
  Promise(title: "chunked by a condition, arrays of 1,000", allocations: 0.01, retains: 0) {
    emission(Source()) { source, tally in [source.chunked { $0 < $1 }.sink { tally.add($0.count) }] }
  },
  Promise(title: "chunked by a signal, arrays of 1,000", allocations: 0.01, retains: 0) {
    emission(Source()) { source, tally in
      [source.chunked(by: source.filter { $0 == 0 }).sink { tally.add($0.count) }]
    }
  },
  Promise(title: "a created signal → sink", allocations: 0, retains: 0) {
    let source = Source()
    return emission(source) { source, tally in
      [CreateSignal<Int, Never> { sink in source.sink { sink.send($0) } }.sink { tally.add($0) }]
    }
  },
  Promise(title: "retry with a backoff → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in
      [source.retry(.constant(.seconds(1)), resetsOnValue: true).sink { tally.add($0) }]
    }
  },
  Promise(title: "share that never disconnects → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [source.share(disconnecting: .never).sink { tally.add($0) }] }
  },
  Promise(title: "tryMap.tryFilter.tryScan → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in
      let tried = source.setFailureType(to: Overflow.self).tryMap { number throws(Overflow) in
        if number == .max { throw Overflow() }
        return number
      }.tryFilter { number throws(Overflow) in number >= 0 }.tryScan(0) { sum, number throws(Overflow) in sum &+ number
      }
      return [tried.sink(receiveCompletion: { _ in }, receiveValue: { tally.add($0) })]
    }
  },
  Promise(title: "a chain of ten operators → sink", allocations: 0, retains: 0) {
    emission(Source()) { source, tally in [tenOperators(source).sink { tally.add($0) }] }
  },
]

private struct Overflow: Error {}

/// A chain of ten operators.
///
/// The package's manifest sets the time in which the compiler has to check its types.
private func tenOperators(_ source: Source) -> some Signal<Int, Never> {
  source.map { $0 + 1 }.filter { $0 > 0 }.removeDuplicates().scan(0, max).pairwise().map(\.1).prefix { $0 >= 0 }
    .dropFirst(2).compactMap { $0.isMultiple(of: 2) ? $0 : nil }.handleEvents(receiveOutput: { _ in })
}

import Signals

/// What it costs to send a value to an operator that waits for the system's clock.
let waits: [Promise] = [
  Promise(title: "debounce", allocations: 0) {
    wait { source, tally in source.debounce(for: .seconds(60)).sink { tally.add($0) } }
  },
  Promise(title: "throttle", allocations: 0) {
    wait { source, tally in source.throttle(for: .seconds(60), latest: true).sink { tally.add($0) } }
  },
  Promise(title: "timeout", allocations: 0) {
    wait { source, tally in source.timeout(.seconds(60)).sink { tally.add($0) } }
  },
  Promise(title: "sample every interval", allocations: 0) {
    wait { source, tally in source.sample(every: .seconds(60)).sink { tally.add($0) } }
  },
  Promise(title: "measureInterval", allocations: 0) {
    wait { source, tally in source.measureInterval().sink { tally.add($0 > .zero ? 1 : 0) } }
  },
]

private func wait(_ subscribe: (Source, Tally) -> SignalSubscription) -> Cost {
  let source = Source()
  return withExtendedLifetime(subscribe(source, Tally())) {
    counting { for value in 0..<$0 { source.send(value) } }
  }
}

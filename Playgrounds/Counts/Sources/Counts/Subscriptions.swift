import Signals

/// What it costs to subscribe, and what a subscription keeps.
let subscriptions: [Promise] = [
  Promise(title: "subscribe, source → sink", allocations: 3, liveBytes: 200) {
    subscription { source, tally in source.sink { tally.add($0) } }
  },
  Promise(title: "subscribe, map.filter → sink", allocations: 3, liveBytes: 250) {
    subscription { source, tally in source.map { $0 &+ 1 }.filter { $0 >= 0 }.sink { tally.add($0) } }
  },
  Promise(title: "subscribe, 10 maps → sink", allocations: 3) {
    subscription { source, tally in tenMaps(source).sink { tally.add($0) } }
  },
  Promise(title: "subscribe and cancel", liveBytes: 0) {
    let source = Source()
    let tally = Tally()
    return counting { for _ in 0..<$0 { source.sink { tally.add($0) }.cancel() } }
  },
]

/// Counts a thousand subscriptions that stay, without the list that holds them.
private func subscription(_ subscribe: (Source, Tally) -> SignalSubscription) -> Cost {
  let count = 1_000
  let source = Source()
  let tally = Tally()
  // Grow the source's list first: its share of a subscription is 16 bytes at most, in rare large blocks.
  for subscription in (0..<count).map({ _ in subscribe(source, tally) }) { subscription.cancel() }
  var kept: [SignalSubscription] = []
  kept.reserveCapacity(count)
  let cost = Cost.perOperation(count) {
    for _ in 0..<count { kept.append(subscribe(source, tally)) }
  }
  withExtendedLifetime(kept) {}
  return cost
}

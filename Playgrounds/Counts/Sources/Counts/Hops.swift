import CountingRuntime
import Dispatch
import Signals

/// How many values arrive while the actor is busy, so that one hop delivers all of them.
private let burst = 500

/// The share of one value in what the hop itself costs: a task, and the references to what it delivers.
private let share = 15.0 / Double(burst)

/// The cost of receiving a value on an actor that is busy.
let hops = [
  Promise(title: "receive(on: main actor) → sink, in a burst", allocations: share, retains: share) {
    hop(to: MainActor.shared) { source, receive in source.receive(on: MainActor.shared).sink { receive($0) } }
  },
  Promise(title: "sink(on: main actor), in a burst", allocations: share, retains: share) {
    hop(to: MainActor.shared) { source, receive in source.sink(on: MainActor.shared) { receive($0) } }
  },
  Promise(title: "receive(on: actor) → sink, in a burst", allocations: share, retains: share) {
    let worker = Worker()
    return hop(to: worker) { source, receive in source.receive(on: worker).sink { receive($0) } }
  },
  Promise(title: "sink(on: actor), in a burst", allocations: share, retains: share) {
    let worker = Worker()
    return hop(to: worker) { source, receive in source.sink(on: worker) { _, value in receive(value) } }
  },
]

private actor Worker {}

/// Counts the last of four bursts; the others grow the buffers.
private func hop(
  to actor: some Actor, _ subscribe: (Source, @escaping @Sendable (Int) -> Void) -> SignalSubscription
) -> Cost {
  let source = Source()
  let tally = Tally()
  let delivered = DispatchSemaphore(value: 0)
  let subscription = subscribe(source) { value in
    tally.add(value)
    if value == burst { delivered.signal() }
  }
  return withExtendedLifetime(subscription) {
    var cost = Cost()
    for _ in 0..<4 {
      let isBusy = DispatchSemaphore(value: 0)
      let gate = DispatchSemaphore(value: 0)
      Task.detached { await occupy(actor, isBusy, until: gate) }
      isBusy.wait()
      cost = Cost.perOperation(burst) {
        for value in 1...burst { source.send(value) }
        gate.signal()
        delivered.wait()
      }
    }
    return cost
  }
}

private func occupy(_: isolated some Actor, _ isBusy: DispatchSemaphore, until gate: DispatchSemaphore) {
  isBusy.signal()
  gate.wait()
}

import CountingRuntime
import Foundation

/// Counts allocations, retains and releases, which unlike times are the same on every run, and fails if one is above
/// what the package promises.
@main
enum Counts {
  /// Counts on a thread of its own, because some of what is counted runs on the main actor.
  nonisolated static func main() {
    Thread.detachNewThread {
      count()
      exit(0)
    }
    dispatchMain()
  }

  nonisolated private static func count() {
    guard counting_is_supported() else {
      print("Allocations and reference counts cannot be counted on this system; run this on Linux.")
      return
    }
    guard canCount() else {
      print("The counters do not count: allocating and retaining objects left them at zero.")
      exit(1)
    }
    guard canIgnoreOthers() else {
      print("What was done besides one of several counts is taken for a cost of the operation.")
      exit(1)
    }
    var breaches: [String] = []
    print("| operation | allocations | bytes kept | retains | releases | |")
    print("|---|---:|---:|---:|---:|---|")
    for promise in emissions + operators + hops + derivations + changes + waits + subscriptions + flags {
      let cost = Cost.least(promise.count)
      let broken = promise.breaches(by: cost)
      breaches += broken.map { "\(promise.title): \($0)" }
      let numbers = [cost.allocations, cost.liveBytes, cost.retains, cost.releases].map(decimal)
      print("| \(promise.title) | \(numbers.joined(separator: " | ")) | \(broken.isEmpty ? "ok" : "broken") |")
    }
    guard breaches.isEmpty else {
      print("\nBroken promises:")
      for breach in breaches { print("- \(breach)") }
      exit(1)
    }
  }

  /// Whether known allocations and retains are counted, so that the zeros below mean something.
  nonisolated private static func canCount() -> Bool {
    var kept: [Tally] = []
    kept.reserveCapacity(200)
    let cost = Cost.perOperation(100) {
      for _ in 0..<100 {
        let object = Tally()
        kept.append(object)
        kept.append(object)
      }
    }
    return kept.count == 200 && cost.allocations == 1 && cost.retains >= 1
  }

  /// Whether the least of several counts finds what each of them costs, and not what one of them did besides.
  nonisolated private static func canIgnoreOthers() -> Bool {
    var kept: [Tally] = []
    kept.reserveCapacity(1_000)
    let cost = Cost.least {
      let isDisturbed = kept.isEmpty
      return Cost.perOperation(10) {
        for _ in 0..<(isDisturbed ? 100 : 10) { kept.append(Tally()) }
      }
    }
    return cost.allocations == 1
  }
}

import CountingRuntime

/// What one operation cost, on average, in everything that can be counted.
struct Cost {
  var allocations = 0.0
  var liveBytes = 0.0
  var retains = 0.0
  var releases = 0.0

  /// Counts what `body` does, and divides it by the number of operations it says it does.
  static func perOperation(_ operations: Int, _ body: () -> Void) -> Cost {
    counting_start()
    body()
    return Cost(counting_stop(), operations: operations)
  }

  /// The least that any of five counts finds: what an operation costs is in each of them.
  ///
  /// What other threads do meanwhile is counted too, such as a task that begins to sleep, on a thread that has to be
  /// made for it. On a busy machine, they may do that at any time, but they do it once.
  static func least(_ count: () -> Cost) -> Cost {
    var least = count()
    for _ in 1..<5 {
      let cost = count()
      least.allocations = min(least.allocations, cost.allocations)
      // Bytes that another thread frees would hide some that are kept.
      if cost.liveBytes.magnitude < least.liveBytes.magnitude { least.liveBytes = cost.liveBytes }
      least.retains = min(least.retains, cost.retains)
      least.releases = min(least.releases, cost.releases)
    }
    return least
  }

  init() {}

  init(_ totals: counting_totals, operations: Int) {
    let operations = Double(operations)
    allocations = Double(totals.allocations) / operations
    liveBytes = Double(totals.allocatedBytes - totals.deallocatedBytes) / operations
    retains = Double(totals.retains) / operations
    releases = Double(totals.releases) / operations
  }
}

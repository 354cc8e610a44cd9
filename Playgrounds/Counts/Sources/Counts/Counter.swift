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

  init() {}

  init(_ totals: counting_totals, operations: Int) {
    let operations = Double(operations)
    allocations = Double(totals.allocations) / operations
    liveBytes = Double(totals.allocatedBytes - totals.deallocatedBytes) / operations
    retains = Double(totals.retains) / operations
    releases = Double(totals.releases) / operations
  }
}

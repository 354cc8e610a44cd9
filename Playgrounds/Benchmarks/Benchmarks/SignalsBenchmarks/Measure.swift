import Benchmark
import Catalog
import Foundation

/// A contender's work: does it the given number of times.
typealias Workload = (_ count: Int) -> Void

/// Work that has parts which are not timed, or that waits.
typealias TimedWorkload = (_ count: Int, _ stopwatch: Benchmark) async throws -> Void

/// Registers one contender of a row.
///
/// What is timed is one call of the workload for a whole block of operations, so the harness's own reading of the clock
/// (some 50 ns) is divided by the block's size.
///
/// - Parameters:
///   - row: The row's identifier in the catalog.
///   - contender: Who does the work.
///   - prepare: Makes what the work needs, once, before the first measurement, in a process of its own.
func measure(_ row: String, _ contender: String, prepare: @escaping @Sendable () -> Workload) {
  let stage = Stage<Workload>()
  Benchmark(
    "\(row).\(contender)",
    configuration: configuration(of: row, contender),
    closure: { benchmark in
      let count = benchmark.scaledIterations.count
      guard let work = stage.work else { return benchmark.error("The benchmark was not prepared") }
      benchmark.startMeasurement()
      work(count)
      benchmark.stopMeasurement()
    },
    setup: {
      keepSecondThread()
      stage.work = prepare()
    },
    teardown: { stage.work = nil }
  )
}

/// Registers one contender of a row whose work says itself, by starting and stopping its argument, what is timed.
func measureTimed(_ row: String, _ contender: String, prepare: @escaping @Sendable () throws -> TimedWorkload) {
  let stage = Stage<TimedWorkload>()
  Benchmark(
    "\(row).\(contender)",
    configuration: configuration(of: row, contender),
    closure: { benchmark in
      let count = benchmark.scaledIterations.count
      guard let work = stage.work else { return benchmark.error("The benchmark was not prepared") }
      try await work(count, benchmark)
    },
    setup: {
      keepSecondThread()
      stage.work = try prepare()
    },
    teardown: { stage.work = nil }
  )
}

private func configuration(of id: String, _ contender: String) -> Benchmark.Configuration {
  guard let row = rows.first(where: { $0.id == id }), let factor = BenchmarkScalingFactor(rawValue: row.block) else {
    preconditionFailure("Row \(id) is not in the catalog, or its block is not a power of a thousand")
  }
  precondition(
    contender == ours || row.others.contains(contender), "\(contender) is not in the catalog's row \(id)"
  )
  return .init(
    metrics: row.isLatency ? [.throughput, .latency] : [.wallClock, .throughput],
    warmupIterations: row.isSlow ? 2 : 20,
    scalingFactor: factor,
    maxDuration: row.isSlow ? .seconds(2) : .milliseconds(500),
    maxIterations: 3_000
  )
}

extension BenchmarkMetric {
  /// Nanoseconds from an action in this process to its effect in another one.
  static let latency = BenchmarkMetric.custom("latency", polarity: .prefersSmaller, useScalingFactor: false)
}

/// Where a prepared workload waits for its measurements.
private final class Stage<Work>: @unchecked Sendable {
  // Sound: the harness prepares, runs and tears down one after the other.
  var work: Work?
}

/// Starts a thread that sleeps: while a process has one thread only, glibc skips the atomic instructions of its locks,
/// and all figures with a lock in them would be wrong.
private func keepSecondThread() {
  Thread.detachNewThread { while true { Thread.sleep(forTimeInterval: 3600) } }
}

/// Where subscribers leave what they received, so that the work cannot be optimised away.
final class Tally: @unchecked Sendable {  // Sound: a delivery never overlaps another one of the same source.
  @exclusivity(unchecked) var sum = 0

  @inline(__always)
  func add(_ value: Int) {
    sum &+= value
  }
}

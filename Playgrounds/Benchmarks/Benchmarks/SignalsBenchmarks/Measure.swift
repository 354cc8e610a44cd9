import Benchmark
import Foundation

/// A contender's work: does it the given number of times.
typealias Workload = (_ count: Int) -> Void

/// Registers one contender of a row.
///
/// What is timed is one call of the workload for a whole block of operations, so the harness's own reading of the clock
/// (some 50 ns) is divided by the block's size.
///
/// - Parameters:
///   - row: The row's identifier in the catalog.
///   - contender: Who does the work.
///   - block: How many operations one measurement covers.
///   - prepare: Makes what the work needs, once, before the first measurement, in a process of its own.
func measure(
  _ row: String,
  _ contender: String,
  block: BenchmarkScalingFactor = .kilo,
  prepare: @escaping @Sendable () -> Workload
) {
  let stage = Stage()
  Benchmark(
    "\(row).\(contender)",
    configuration: .init(
      metrics: [.wallClock, .throughput],
      warmupIterations: 50,
      scalingFactor: block,
      maxDuration: .milliseconds(400),
      maxIterations: 2_000
    ),
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

/// Where a prepared workload waits for its measurements.
private final class Stage: @unchecked Sendable {  // Sound: the harness prepares, runs and tears down one after the other.
  var work: Workload?
}

/// Starts a thread that sleeps: while a process has one thread only, glibc skips the atomic instructions of its locks, and
/// all figures with a lock in them would be wrong.
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

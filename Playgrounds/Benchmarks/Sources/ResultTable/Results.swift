import Catalog
import Foundation

/// What the harness measured: the median time of a block of operations, by the benchmark's name.
///
/// Of several rounds the lowest median counts, for every contender alike: what else the machine did can only add.
struct Results {
  private let medians: [String: Double]

  /// Reads what the harness wrote, one file a round, in the format of the Java Microbenchmark Harness.
  init(contentsOf rounds: [URL]) throws {
    let records = try rounds.flatMap { try JSONDecoder().decode([Record].self, from: Data(contentsOf: $0)) }
    var medians: [String: Double] = [:]
    for record in records {
      // The format prefixes names with "package.benchmark.TARGET.".
      let name = record.benchmark.split(separator: ".", maxSplits: 3).last.map(String.init) ?? record.benchmark
      let isLatency = rows.contains { $0.isLatency && name.hasPrefix("\($0.id).") }
      let metric = isLatency ? "latency" : "Time (wall clock)"
      guard let time = record.secondaryMetrics.first(where: { $0.key.hasPrefix(metric) })?.value,
        let median = time.scorePercentiles["50.0"]
      else { continue }
      let nanoseconds = time.scoreUnit == "#" ? median : median * 1_000
      medians[name] = min(nanoseconds, medians[name] ?? .infinity)
    }
    self.medians = medians
  }

  /// Nanoseconds for one block, or `nil` if the benchmark was not run.
  func median(of benchmark: String) -> Double? {
    medians[benchmark.replacing(" ", with: "_")]
  }
}

private struct Record: Decodable {
  let benchmark: String
  let secondaryMetrics: [String: Metric]

  struct Metric: Decodable {
    let scorePercentiles: [String: Double]

    /// "#" for the harness's custom metrics, ours in nanoseconds; otherwise microseconds.
    let scoreUnit: String
  }
}

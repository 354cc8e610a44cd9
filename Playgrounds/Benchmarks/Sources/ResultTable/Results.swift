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

  /// The benchmarks of the catalog that should have been run and have no result.
  ///
  /// - Parameters:
  ///   - list: The benchmarks of this system, one on each line, as the harness prints them.
  ///   - patterns: The filters that the harness was given: a name must match one of them as a whole. All benchmarks were
  ///     run if there is none.
  /// - Returns: Their names, in the order of the table.
  /// - Throws: What is wrong with a pattern.
  func missing(from list: String, _ patterns: [String]) throws -> [String] {
    let patterns = try patterns.map { try Regex($0) }
    let listed = Set(list.split(separator: "\n").map(String.init))
    let names = rows.flatMap { row in ([Catalog.ours] + row.others).map { "\(row.id).\($0)" } }
    return try names.filter(listed.contains).filter { name in
      let isRun = try patterns.isEmpty || patterns.contains { try $0.wholeMatch(in: name) != nil }
      return isRun && median(of: name) == nil
    }
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

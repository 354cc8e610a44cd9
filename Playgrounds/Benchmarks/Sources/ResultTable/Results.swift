import Foundation

/// What the harness measured: the median time of a block of operations, by the benchmark's name.
struct Results {
  private let medians: [String: Double]

  /// Reads what the harness wrote in the format of the Java Microbenchmark Harness.
  init(contentsOf file: URL) throws {
    let records = try JSONDecoder().decode([Record].self, from: Data(contentsOf: file))
    var medians: [String: Double] = [:]
    for record in records {
      guard let time = record.secondaryMetrics.first(where: { $0.key.hasPrefix("Time (wall clock)") }),
        let median = time.value.scorePercentiles["50.0"]
      else { continue }
      // The format has microseconds, and prefixes names with "package.benchmark.TARGET.".
      let name = record.benchmark.split(separator: ".", maxSplits: 3).last.map(String.init) ?? record.benchmark
      medians[name] = median * 1_000
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
  }
}

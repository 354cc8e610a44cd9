import Foundation

/// How long things took, in nanoseconds.
struct Latencies: Sendable {
  private var sorted: [Int64] = []

  var count: Int { sorted.count }

  mutating func add(_ nanoseconds: Int64) {
    let index = sorted.firstIndex { $0 > nanoseconds } ?? sorted.endIndex
    sorted.insert(nanoseconds, at: index)
  }

  /// The latency that a fraction of all stays below.
  func percentile(_ fraction: Double) -> Int64 {
    sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
  }

  /// A latency as people read it.
  static func text(_ nanoseconds: Int64) -> String {
    nanoseconds < 10_000_000 ? "\(nanoseconds / 1_000) µs" : "\(nanoseconds / 1_000_000) ms"
  }

  /// The time that has passed, as people read it.
  static func seconds(since begin: Int64) -> String {
    String(format: "%.1f seconds", Double(now() - begin) / 1e9)
  }

  /// The time on a clock that all processes of the machine share.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

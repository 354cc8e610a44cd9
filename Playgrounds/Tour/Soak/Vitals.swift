import Foundation

/// What processes use, sampled from time to time.
struct Vitals: Sendable {
  private struct Sample {
    let kilobytes: Int
    let descriptors: Int
  }

  private var samples: [Sample] = []

  /// Looks at a process, if the system shows it as Linux does.
  mutating func look(at process: Int32) {
    let manager = FileManager.default
    do {
      let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return }
      let descriptors = try manager.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
      samples.append(Sample(kilobytes: kilobytes, descriptors: descriptors))
    } catch {
      // It has ended, or this is another system.
    }
  }

  /// The usual use in the second quarter of the time, when everything has been used once, and in the last.
  private var quarters: (second: Sample, last: Sample)? {
    let length = samples.count / 4
    guard length >= 3 else { return nil }
    return (Self.usual(samples[length..<2 * length]), Self.usual(samples.suffix(length)))
  }

  private static func usual(_ samples: ArraySlice<Sample>) -> Sample {
    func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }
    return Sample(kilobytes: median(samples.map(\.kilobytes)), descriptors: median(samples.map(\.descriptors)))
  }

  /// Whether neither memory nor descriptors have grown by more than a tenth and a little.
  var areFlat: Bool {
    guard let (second, last) = quarters else { return true }
    return last.kilobytes <= second.kilobytes * 11 / 10 + 4_096 && last.descriptors <= second.descriptors * 11 / 10 + 4
  }

  /// The usual use, early and late.
  var text: String {
    guard let (second, last) = quarters else { return "not enough samples" }
    return "\(second.kilobytes / 1_024) → \(last.kilobytes / 1_024) MB, "
      + "\(second.descriptors) → \(last.descriptors) descriptors"
  }
}

import Foundation

/// The memory and the wake-ups of this process, on Linux.
enum Usage {
  /// The resident memory in bytes.
  static var memory: Int {
    let fields = text("/proc/self/statm").split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
  }

  /// The number of times that threads have waited.
  static var switches: Int {
    var sum = 0
    do {
      for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
        let status = text("/proc/self/task/\(thread)/status")
        sum += status.firstMatch(of: /\nvoluntary_ctxt_switches:\s*([0-9]+)/).flatMap { Int($0.1) } ?? 0
      }
    } catch {
      print("the threads cannot be listed: \(error)")
    }
    return sum
  }

  private static func text(_ path: String) -> String {
    // The thread may have ended.
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension Sequence {
  /// Maps the elements one after the other.
  func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}

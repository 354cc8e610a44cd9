import SignalsKit

/// Four processes count together, and not one increment is lost.
struct CountingScene: Scene {
  let isQuick: Bool
  let title = "Four processes increment one counter; the total is exact"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let times = isQuick ? 250 : 2_500
    let total = 4 * times
    // This process looks on, like any other.
    let file = try AppGroupsFile(name: "count.json", initialValue: 0, container: workplace.container)
    let begin = MutableProperty(Latencies.now())
    let progress = combineLatest(file, begin).sink { count, begin in
      display.progress(
        "\(Self.bar(count, of: total)) \(count) of \(total), \(Self.rate(of: count, since: begin)) a second")
    }
    let children = try (0..<4).map { _ in
      try ChildProcess(.counter(directory: workplace.directory.path, times: times))
    }
    for child in children { try await child.wait(for: "ready") }
    begin.value = Latencies.now()
    for child in children { try child.tell("go") }
    for child in children { try await child.wait(for: "done") }
    let rate = Self.rate(of: total, since: begin.value)
    try await file.property.wait(for: "the sum in this process") { $0 == total }
    progress.cancel()
    let stored = try file.read()
    display.line("  4 × \(times) increments, all at once: the file says \(stored), after \(rate) updates a second")
    return [
      Promise("No update is lost", isKept: stored == total, seen: "4 × \(times) increments make \(stored)"),
      Promise(
        "Who looks on sees the final value",
        isKept: file.value == total,
        seen: "\(file.value), in a process that wrote nothing"
      ),
    ]
  }

  private static func bar(_ count: Int, of total: Int) -> String {
    let filled = count * 20 / total
    return String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
  }

  private static func rate(of count: Int, since begin: Int64) -> Int {
    Int(Double(count) / max(0.001, Double(Latencies.now() - begin) / 1e9))
  }
}

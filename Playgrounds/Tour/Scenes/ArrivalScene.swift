import SignalsKit

/// One process changes a value; two others have it at once.
struct ArrivalScene: Scene {
  let isQuick: Bool
  let title = "Process A changes a value; B and C have it the moment it lands"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let directory = workplace.directory.path
    let writer = try ChildProcess(.writer(directory: directory))
    let watchers = try [ChildProcess(.watcher(directory: directory)), ChildProcess(.watcher(directory: directory))]
    for child in [writer] + watchers { try await child.wait(for: "ready") }

    let rounds = isQuick ? 40 : 300
    var latencies = Latencies()
    for number in 1...rounds {
      try writer.tell(String(number))
      var arrivals: [String] = []
      for (name, watcher) in zip(["B", "C"], watchers) {
        let lines = try await watcher.wait(for: "message \(number)") { lines in
          lines.last?.hasPrefix("\(number) ") ?? false
        }
        guard let latency = lines.last?.split(separator: " ").last.flatMap({ Int64($0) }) else { continue }
        latencies.add(latency)
        arrivals.append("\(name) after \(Latencies.text(latency))")
      }
      let text = "A wrote message \(number): \(arrivals.joined(separator: ", "))"
      if number <= 3 { display.line("  " + text) } else { display.progress(text) }
    }
    let p50 = Latencies.text(latencies.percentile(0.5))
    let p99 = Latencies.text(latencies.percentile(0.99))
    display.line(
      "  … \(rounds) messages, each in two processes: half within \(p50), 99 of 100 within \(p99), without polling")
    return [
      Promise(
        "Every change reaches every process",
        isKept: latencies.count == rounds * 2,
        seen: "\(latencies.count) of \(rounds * 2) arrivals, p50 \(p50), p99 \(p99)"
      )
    ]
  }
}

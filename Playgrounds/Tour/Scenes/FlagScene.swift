import SignalsKit

/// Four processes have the same flags, and whoever flips one flips it for all.
struct FlagScene: Scene {
  let isQuick: Bool
  let title = "A flag is flipped in one process, and the others react"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    let shops = try (0..<3).map { _ in try ChildProcess(.shop(directory: workplace.directory.path)) }
    for shop in shops { try await shop.wait(for: "ready") }
    let manager = try Flags.manager(in: workplace.container)
    let discount = manager.property(for: Flags.discount)

    let flips = isQuick ? 20 : 120
    var took = Latencies()
    var reached = 0
    for value in 1...flips {
      let begin = Latencies.now()
      // By each of the four in turn.
      switch value % 4 {
      case 0: try manager.set(value, for: Flags.discount)
      case let number: try shops[number - 1].tell("\(value)")
      }
      try await discount.wait(for: "discount \(value)") { $0 == value }
      for shop in shops { try await shop.wait(for: "discount \(value)") }
      took.add(Latencies.now() - begin)
      reached += shops.count + 1
      display.progress("\(value) of \(flips) flips")
    }
    let usual = Latencies.text(took.percentile(0.5))
    display.line("  \(flips) flips, by each of the processes in turn; all had heard of it after \(usual) (p50)")

    let expected = (0...flips).map { "discount \($0)" }
    let lines = shops.map(\.transcript.value.lines)
    let isOrdered = lines.allSatisfy { lines in lines.filter { $0.hasPrefix("discount") } == expected }
    let wakes = lines.reduce(0) { sum, lines in sum + lines.count { $0.hasPrefix("isOpen") } }
    return [
      Promise(
        "A flag that one process flips is flipped in all", isKept: isOrdered,
        seen: "\(reached) of \(flips * 4) arrivals, in the same order everywhere"),
      Promise(
        "A change wakes only who observes that flag", isKept: wakes == shops.count,
        seen: "\(wakes - shops.count) of \(flips * shops.count) flips woke who observes another flag"),
    ]
  }
}

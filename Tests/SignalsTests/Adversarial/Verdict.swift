import Synchronization

/// The comparison of all watchers of a program with the laws, after its threads have ended.
struct Verdict {
  private(set) var breaches: [String] = []

  init(watchers: [Watcher], sources: Int) {
    for watcher in watchers { breaches += watcher.breaches }
    // Watchers of the same unchanged source must have seen parts of the same sequence.
    let witnesses = watchers.prefix(sources)
    for (source, witness) in witnesses.enumerated() {
      let story = witness.received
      let places = Dictionary(zip(story, story.indices), uniquingKeysWith: { first, _ in first })
      if places.count != story.count { breaches.append("law 6: twice the same value [\(witness.node.name)]") }
      for watcher in watchers where watcher.node.direct == source {
        judge(watcher, story, places)
      }
      for (delivered, read) in witness.readings {
        guard let first = places[delivered], let second = places[read] else { continue }
        if second < first { breaches.append("law 7: \(read) was read when \(delivered) was delivered") }
      }
      if witness.completions != 1, witness.node.name.hasPrefix("emitter") {
        breaches.append("law 5: \(witness.completions) completions [\(witness.node.name)]")
      }
    }
  }

  private mutating func judge(_ watcher: Watcher, _ story: [Item], _ places: [Item: Int]) {
    let whose = "[\(watcher.node.name), watcher \(watcher.number)]"
    let received = watcher.received
    if let first = received.first {
      guard let start = places[first] else { return breaches.append("law 2: \(first) out of nowhere \(whose)") }
      let expected = story[start...].prefix(received.count)
      if !expected.elementsEqual(received) {
        breaches.append("law 2 or 6: \(received) instead of \(Array(expected)) \(whose)")
      }
    }
    if watcher.isLate { breaches.append("law 6: no current value \(whose)") }
    guard !watcher.isGivenUp.load(ordering: .relaxed) else { return }
    if let last = received.last, last != story.last {
      breaches.append("law 2: stopped at \(last), not at \(story.last.map(\.description) ?? "") \(whose)")
    }
    if watcher.completions != 1, watcher.node.name.hasPrefix("emitter") {
      breaches.append("law 5: \(watcher.completions) completions \(whose)")
    }
  }
}

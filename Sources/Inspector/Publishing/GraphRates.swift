/// The rates of the sources of a process, computed from the numbers of changes in its answers.
struct GraphRates {
  private struct Source {
    var count: Int
    var time: ContinuousClock.Instant
    var counter = RateCounter()
  }

  /// The sources by their names, because the identifiers in an answer are positions, which are others as soon as a
  /// source ends.
  private var sources: [Name: Source] = [:]

  private struct Name: Hashable {
    let text: String

    /// The position among the sources of the same name.
    let number: Int
  }

  /// Adds the rates to an answer.
  mutating func add(to graph: inout InspectedGraph, at now: ContinuousClock.Instant) {
    var present: [Name: Source] = [:]
    var numbers: [String: Int] = [:]
    for index in graph.nodes.indices {
      let node = graph.nodes[index]
      let number = numbers[node.name, default: 0]
      numbers[node.name] = number + 1
      guard let count = node.changes.flatMap(Int.init) else { continue }
      let key = Name(text: node.name, number: number)
      guard var source = sources[key], source.count <= count else {
        present[key] = Source(count: count, time: now)
        continue
      }
      let seconds = source.time.duration(to: now) / .seconds(1)
      let change = count - source.count
      source.counter.add(change, at: now)
      graph.nodes[index].rate = source.counter.rate(at: now).map { rate in
        InspectedResource.Rate(
          perSecond: seconds > 0 ? (Double(change) / seconds).rounded() : 0, perSecondInMinute: rate.perSecondInMinute)
      }
      (source.count, source.time) = (count, now)
      present[key] = source
    }
    sources = present
  }
}

import Dispatch
import FileSignals
import Foundation
import Signals

/// Asks the processes that publish their signals, on a queue of its own, so that a stopped process delays nothing.
final class GraphReader: Sendable {
  private let directory: String
  private let queue = DispatchQueue(label: "org.signals.inspector.graphs", qos: .utility)
  private let state = Guarded(State())

  private struct State {
    var graphs: [String: InspectedGraph] = [:]

    /// The rates of the sources, by the names of the sockets.
    var rates: [String: GraphRates] = [:]
    var isBusy = false
  }

  /// The largest answer, in bytes.
  private static let limit = 8 << 20

  init(_ root: URL) {
    directory = root.path + "/" + LocalListener.graphs
  }

  /// The last answer of each process, by the names of the sockets.
  var graphs: [InspectedGraph] {
    state.withLock { $0.graphs }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Asks all processes, unless that is in progress, and calls a closure if an answer is different.
  func ask(_ changed: @escaping @Sendable () -> Void) {
    guard FileStatus.ifReadable(path: directory)?.kind == .directory else {
      state.withLock { $0.graphs = [:] }
      return
    }
    let isFree = state.withLock { state in
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFree else { return }
    queue.async { [self] in
      let (before, known) = state.withLock { ($0.graphs, $0.rates) }
      var graphs: [String: InspectedGraph] = [:]
      var rates: [String: GraphRates] = [:]
      for entry in DirectoryEntry.list(directory) {
        guard var graph = read(entry.name, before[entry.name]) else { continue }
        var counters = known[entry.name] ?? GraphRates()
        counters.add(to: &graph, at: .now)
        (graphs[entry.name], rates[entry.name]) = (graph, counters)
      }
      let (read, counted) = (graphs, rates)
      state.withLock { state in
        (state.graphs, state.rates) = (read, counted)
        state.isBusy = false
      }
      if graphs != before { changed() }
    }
  }

  /// Calls a closure after the questions that are in progress.
  func afterwards(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  /// Returns the answer of a process, its last one if it does not answer in time, or `nil` if it is gone.
  private func read(_ name: String, _ last: InspectedGraph?) -> InspectedGraph? {
    guard let pid = LocalListener.process(of: name) else { return nil }
    let socket: Descriptor
    do {
      socket = try LocalSocket.connect(name, in: directory)
    } catch {
      // A process that is stopped accepts some connections without answering, and then no more.
      return error.isGone ? nil : last
    }
    do {
      guard let data = LocalSocket.receive(from: socket.number, within: .milliseconds(200), maximum: Self.limit) else {
        return last
      }
      var graph = try InspectorJSON.decode(InspectedGraph.self, from: data)
      graph.pid = pid
      graph.process = last?.process ?? "\(LockHolder(pid).processName)-\(pid)"
      return graph
    } catch {
      // The process has ended, or is about to.
      return nil
    }
  }
}

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
      // A negative number comes from a faulty process, and the difference from it could overflow.
      guard let count = node.changes.flatMap(Int.init), count >= 0 else { continue }
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

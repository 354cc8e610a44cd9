import AppGroups
import Dispatch
import FileSignals
import Foundation
import Signals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Answers the connections of inspectors with the signals of this process.
final class GraphPublisher: Sendable {
  private let files: OpenFiles?
  private let queue = DispatchQueue(label: "org.signals.inspector.publisher", qos: .utility)
  private let listener = Guarded<LocalListener?>(nil)
  private let state = Guarded(State())

  private struct State {
    var dropped = 0
    var last: (time: ContinuousClock.Instant, bytes: [UInt8])?

    /// The counters of emitters, while an inspector asks.
    var counters: [ValueCounter] = []
  }

  /// The time without a question after which emitters are not counted any more.
  private static let countingLimit = Duration.seconds(10)

  /// Begins to publish.
  ///
  /// - Parameters:
  ///   - name: The name of the socket.
  ///   - group: The directory of the group.
  ///   - files: The files that inspectors may edit through this process, or `nil`.
  /// - Throws: ``InspectorError`` if the socket cannot be created.
  init(_ name: String, in group: URL, files: OpenFiles?) throws(InspectorError) {
    self.files = files
    let made = try LocalListener(name, folder: LocalListener.graphs, of: group, on: queue) { [weak self] socket in
      if let self { answer(socket) } else { close(socket) }
    }
    listener.withLock { $0 = made }
  }

  func end() {
    listener.withLock { $0 }?.end()
    setCounters([])
  }

  private func answer(_ socket: CInt) {
    Task { [self] in
      let bytes = await content()
      queue.async { [self] in
        if !LocalSocket.send(bytes, to: socket, within: .milliseconds(200)) { state.withLock { $0.dropped += 1 } }
        close(socket)
      }
    }
  }

  /// Returns the signals as JSON, as they were at most a tenth of a second ago.
  private func content() async -> [UInt8] {
    let (last, dropped) = state.withLock { ($0.last, $0.dropped) }
    if let last, last.time.duration(to: .now) < .milliseconds(100) { return last.bytes }
    count()
    var graph = await InspectedGraph.ofThisProcess(dropped: dropped)
    graph.files = files?.all.map { path, file in InspectedGraph.File(path: path, type: file.typeOfJSON ?? "") }
    var bytes: [UInt8] = []
    do {
      bytes = [UInt8](try InspectorJSON.encode(graph))
    } catch {
      // Texts and numbers can always be encoded.
    }
    let made = bytes
    state.withLock { $0.last = (.now, made) }
    return bytes
  }

  // MARK: Counting

  /// Counts the values of all registered emitters, until no inspector asks any more.
  private func count() {
    let counters = SourceRegistry.sources.compactMap { $0.counted() }
    let isBeginning = state.withLock { $0.counters.isEmpty } && !counters.isEmpty
    setCounters(counters)
    if isBeginning { endCounting(after: Self.countingLimit) }
  }

  private func endCounting(after pause: Duration) {
    queue.async(after: pause) { [weak self] in
      guard let self else { return }
      let rest = state.withLock { state in
        state.last.map { Self.countingLimit - $0.time.duration(to: .now) } ?? .zero
      }
      if rest > .zero { endCounting(after: rest) } else { setCounters([]) }
    }
  }

  private func setCounters(_ counters: [ValueCounter]) {
    state.replace { state in
      let old = state.counters
      state.counters = counters
      return old
    }
  }
}

extension InspectedGraph {
  /// Returns the registered signals of this process.
  static func ofThisProcess(dropped: Int) async -> InspectedGraph {
    let sources = SourceRegistry.sources
    let pid = ProcessInfo.processInfo.processIdentifier
    var graph = InspectedGraph(process: "", pid: pid, dropped: dropped, nodes: [], edges: [], consumers: [])
    var names: [String: String] = [:]
    for (index, source) in sources.enumerated() { names[source.name] = "n\(index)" }
    for (index, source) in sources.enumerated() {
      let id = "n\(index)"
      graph.nodes.append(
        Node(
          id: id, name: source.name, kind: "\(source.kind)", type: source.valueType, place: source.place,
          value: source.valueDescription, subscribers: source.subscriberCount,
          changes: source.changeCount.map { "\($0)" }, internal: false))
      for input in source.inputs {
        let known = names[input] ?? "i\(names.count)"
        if names[input] == nil {
          names[input] = known
          graph.nodes.append(
            Node(id: known, name: input, kind: "source", type: "", place: "", subscribers: 0, internal: true))
        }
        graph.edges.append(Edge(from: known, to: id))
      }
      for trace in await source.subscriptions() {
        graph.consumers.append(Consumer(node: id, steps: trace.steps, place: trace.place))
      }
    }
    return graph
  }
}

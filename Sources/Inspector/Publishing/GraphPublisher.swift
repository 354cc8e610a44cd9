import AppGroups
import CLibrary
import Dispatch
import FileSignals
import Foundation
import Signals

/// Answers the connections of inspectors with the signals of this process.
final class GraphPublisher: Sendable {
  private let files: EditableFiles?
  private let queue = QueueExecutor(DispatchQueue(label: "org.signals.inspector.publisher", qos: .utility))
  private let listener = Guarded<LocalListener?>(nil)
  private let state = Guarded(State())

  private struct State {
    var dropped = 0
    var last: (time: ContinuousClock.Instant, bytes: [UInt8])?

    /// The dependencies and subscriptions in the last answer.
    var structure: GraphStructure?

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
  init(_ name: String, in group: URL, files: EditableFiles?) throws(InspectorError) {
    self.files = files
    let made = try LocalListener(name, folder: LocalListener.graphs, of: group, on: queue.queue) { [weak self] socket in
      if let self { answer(socket) } else { close(socket) }
    }
    listener.withLock { $0 = made }
  }

  func end() {
    listener.withLock { $0 }?.end()
    setCounters([])
  }

  private func answer(_ socket: CInt) {
    Task(executorPreference: queue) { [self] in
      let bytes = await content()
      if !LocalSocket.send(bytes, to: socket, within: .milliseconds(200)) { state.withLock { $0.dropped += 1 } }
      close(socket)
    }
  }

  /// Returns the signals as JSON, as they were at most a tenth of a second ago.
  private func content() async -> [UInt8] {
    let (last, dropped) = state.withLock { ($0.last, $0.dropped) }
    if let last, last.time.duration(to: .now) < .milliseconds(100) { return last.bytes }
    let sources = SourceRegistry.sources
    count(sources)
    var graph = await graph(of: sources, dropped)
    graph.files = files?.all.map { path, file in InspectedGraph.File(path: path, type: file.typeOfJSON ?? "") }
    let bytes = graph.json
    state.withLock { $0.last = (.now, bytes) }
    return bytes
  }

  private func graph(of sources: [RegisteredSource], _ dropped: Int) async -> InspectedGraph {
    let structure: GraphStructure
    if let known = state.withLock({ $0.structure }), known.holds(for: sources) {
      structure = known
    } else {
      structure = await GraphStructure(of: sources)
      state.withLock { $0.structure = structure }
    }
    return InspectedGraph(of: sources, structure, dropped: dropped)
  }

  // MARK: Counting

  /// Counts the values of all registered emitters, until no inspector asks any more.
  private func count(_ sources: [RegisteredSource]) {
    let counters = sources.compactMap { $0.counted() }
    let isBeginning = state.withLock { $0.counters.isEmpty } && !counters.isEmpty
    setCounters(counters)
    if isBeginning { endCounting(after: Self.countingLimit) }
  }

  private func endCounting(after pause: Duration) {
    queue.queue.async(after: pause) { [weak self] in
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
  /// Describes registered sources of this process.
  fileprivate init(of sources: [RegisteredSource], _ structure: GraphStructure, dropped: Int) {
    let nodes = sources.enumerated().map { index, source in
      Node(
        id: GraphStructure.id(index), name: source.name, kind: source.kind.rawValue, type: source.valueType,
        place: source.place, value: source.valueDescription, subscribers: source.subscriberCount,
        changes: source.changeCount.map(String.init), internal: false)
    }
    self.init(
      process: "", pid: ProcessInfo.processInfo.processIdentifier, dropped: dropped,
      nodes: nodes + structure.inputs, edges: structure.edges, consumers: structure.consumers)
  }
}

/// Runs a task on a queue, so that it goes on while the threads that tasks share are blocked.
private final class QueueExecutor: TaskExecutor {
  let queue: DispatchQueue

  init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// The dependencies and subscriptions of the registered sources of a process.
///
/// Following all subscriptions to their consumers costs more than everything else in an answer, and they seldom change.
struct GraphStructure: Sendable {
  /// The time after which the subscriptions are followed again: those of sources that are not registered may be
  /// different, although the registered sources have as many subscribers as before.
  private static let limit = Duration.seconds(1)

  /// The inputs that are not registered.
  private(set) var inputs: [InspectedGraph.Node] = []
  private(set) var edges: [InspectedGraph.Edge] = []
  private(set) var consumers: [InspectedGraph.Consumer] = []

  private let sources: [Source]
  private let time = ContinuousClock.now

  /// The part of a registered source that is different after a registration, a subscription or its end.
  private struct Source: Equatable {
    let name: String
    let id: ObjectIdentifier
    let subscribers: Int

    init(_ source: RegisteredSource) {
      (name, id, subscribers) = (source.name, source.id, source.subscriberCount)
    }
  }

  /// The identifier of a source, by its position.
  static func id(_ index: Int) -> String { "n\(index)" }

  /// Follows the subscriptions of registered sources.
  init(of sources: [RegisteredSource]) async {
    self.sources = sources.map(Source.init)
    var ids: [String: String] = [:]
    for (index, source) in sources.enumerated() { ids[source.name] = Self.id(index) }
    for (index, source) in sources.enumerated() {
      let id = Self.id(index)
      for input in source.inputs {
        let known = ids[input] ?? "i\(ids.count)"
        if ids[input] == nil {
          ids[input] = known
          inputs.append(
            InspectedGraph.Node(
              id: known, name: input, kind: "source", type: "", place: "", subscribers: 0, internal: true))
        }
        edges.append(InspectedGraph.Edge(from: known, to: id))
      }
      for trace in await source.subscriptions() {
        consumers.append(InspectedGraph.Consumer(node: id, steps: trace.steps, place: trace.place))
      }
    }
  }

  /// Returns a Boolean value that indicates whether the structure can be taken for the present one.
  func holds(for sources: [RegisteredSource]) -> Bool {
    time.duration(to: .now) < Self.limit && self.sources.elementsEqual(sources) { $0 == Source($1) }
  }
}

import Signals

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

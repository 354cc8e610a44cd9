/// The signals that a process publishes; see ``Inspector/publish(in:allowingEdits:)``.
package struct InspectedGraph: Sendable, Hashable, Codable {
  /// A source of values.
  package struct Node: Sendable, Hashable, Codable, Identifiable {
    /// The identifier, which is unique in the graph.
    package var id: String
    /// The name under which the source is registered, or a description of an unregistered one.
    package var name: String
    /// The kind: `emitter`, `property`, `derived` or `source`.
    package var kind: String
    /// The type of the values.
    package var type: String
    /// The place in the code where the source was registered.
    package var place: String
    /// The current value, if the app registered a closure that describes it.
    package var value: String?
    /// The number of active subscriptions.
    package var subscribers: Int
    /// The number of changes so far, as a decimal number.
    ///
    /// For an emitter, it is the number of values since inspectors began to ask. The values of an emitter are counted
    /// only while they do.
    package var changes: String?
    /// The changes per second; `nil` if there was none in the last minute.
    package var rate: InspectedResource.Rate?
    /// A Boolean value that indicates whether the source is not registered, and known only as an input.
    package var `internal`: Bool
  }

  /// A dependency: the second source is computed from the first.
  package struct Edge: Sendable, Hashable, Codable {
    /// The identifier of the input.
    package var from: String
    /// The identifier of the derived source.
    package var to: String
  }

  /// A subscription.
  package struct Consumer: Sendable, Hashable, Codable {
    /// The identifier of the source.
    package var node: String
    /// The operators and the consumer.
    package var steps: [String]
    /// The place in the code where the consumer subscribed.
    package var place: String?
  }

  /// A shared file that the process has open, and changes for inspectors.
  package struct File: Sendable, Hashable, Codable {
    /// The path, relative to the directory of the group.
    package var path: String
    /// The type of the value.
    package var type: String
  }

  /// The identifier of the ``InspectedProcess``.
  package var process: String

  /// The process identifier.
  package var pid: Int32

  /// The number of states that were not sent because the inspector did not read them in time.
  package var dropped: Int

  /// The sources.
  package var nodes: [Node]

  /// The dependencies.
  package var edges: [Edge]

  /// The subscriptions.
  package var consumers: [Consumer]

  /// The files that inspectors may edit through the process; `nil` if it does not allow edits.
  package var files: [File]?
}

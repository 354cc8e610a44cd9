/// The signals that a process publishes; see ``Inspector/publish(in:allowingEdits:)``.
public struct InspectedGraph: Sendable, Hashable, Codable {
  /// A source of values.
  public struct Node: Sendable, Hashable, Codable, Identifiable {
    /// The identifier, which is unique in the graph.
    public var id: String
    /// The name under which the source is registered, or a description of an unregistered one.
    public var name: String
    /// The kind: `emitter`, `property`, `derived` or `source`.
    public var kind: String
    /// The type of the values.
    public var type: String
    /// The place in the code where the source was registered.
    public var place: String
    /// The current value, if the app registered a closure that describes it.
    public var value: String?
    /// The number of active subscriptions.
    public var subscribers: Int
    /// The number of changes so far, as a decimal number.
    ///
    /// For an emitter, it is the number of values since inspectors began to ask. The values of an emitter are counted
    /// only while they do.
    public var changes: String?
    /// The changes per second; `nil` if there was none in the last minute.
    public var rate: InspectedResource.Rate?
    /// A Boolean value that indicates whether the source is not registered, and known only as an input.
    public var `internal`: Bool
  }

  /// A dependency: the second source is computed from the first.
  public struct Edge: Sendable, Hashable, Codable {
    /// The identifier of the input.
    public var from: String
    /// The identifier of the derived source.
    public var to: String
  }

  /// A subscription.
  public struct Consumer: Sendable, Hashable, Codable {
    /// The identifier of the source.
    public var node: String
    /// The operators and the consumer.
    public var steps: [String]
    /// The place in the code where the consumer subscribed.
    public var place: String?
  }

  /// A shared file that the process has open, and changes for inspectors.
  public struct File: Sendable, Hashable, Codable {
    /// The path, relative to the directory of the group.
    public var path: String
    /// The type of the value.
    public var type: String
  }

  /// The identifier of the ``InspectedProcess``.
  public var process: String

  /// The process identifier.
  public var pid: Int32

  /// The number of states that were not sent because the inspector did not read them in time.
  public var dropped: Int

  /// The sources.
  public var nodes: [Node]

  /// The dependencies.
  public var edges: [Edge]

  /// The subscriptions.
  public var consumers: [Consumer]

  /// The files that inspectors may edit through the process; `nil` if it does not allow edits.
  public var files: [File]?
}

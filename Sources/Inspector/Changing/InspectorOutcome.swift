/// The result of a change by an ``Inspector``.
public struct InspectorOutcome: Sendable, Hashable, Encodable {
  /// A process that made a change.
  package struct Process: Sendable, Hashable, Encodable {
    /// The process identifier.
    package var pid: Int32
    /// The name.
    package var name: String

    /// The identifier of the ``InspectedProcess``.
    var id: String { "\(name)-\(pid)" }

    /// The process in a sentence.
    var words: String { "\(name) (\(pid))" }
  }

  /// A Boolean value that indicates whether the change was made.
  package var done = true

  /// A Boolean value that indicates whether the change was only checked.
  package var dryRun = false

  /// A description of the change, in one sentence.
  public var message: String

  /// The identifier of the resource.
  package var resource: String?

  /// The path of the changed file, relative to the inspected directory.
  package var path: String?

  /// The version after the change.
  package var version: String?

  /// The process that made the change.
  package var maker: Process?

  /// The identifier of the ``InspectedProcess`` that made the change: its name and process identifier, such as
  /// `app-812`.
  public var process: String? { maker?.id }

  /// The differences of the value, without its redacted parts.
  public var differences: [InspectedDifference]?

  /// A request that undoes the change, if one can.
  public var undo: InspectorRequest?

  init(_ message: String, _ resource: String? = nil) {
    (self.message, self.resource) = (message, resource)
  }

  private enum CodingKeys: String, CodingKey {
    case done, dryRun, message, path, version, undo
    case resource = "r"
    case maker = "process"
    case differences = "diff"
  }
}

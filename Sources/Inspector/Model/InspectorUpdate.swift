public import Foundation

/// The difference between two snapshots of an ``Inspector``.
public struct InspectorUpdate: Sendable, Hashable {
  /// The changes, in order.
  public var changes: [InspectorChange] = []

  /// The resources that are new or different.
  public var resources: [InspectedResource] = []

  /// The identifiers of the resources that are gone.
  public var removed: [String] = []

  /// All processes, if they are different; otherwise `nil`.
  public var processes: [InspectedProcess]?

  /// All problems, if they are different; otherwise `nil`.
  public var problems: [InspectedProblem]?

  var isEmpty: Bool {
    changes.isEmpty && resources.isEmpty && removed.isEmpty && processes == nil && problems == nil
  }
}

/// A change of a resource, as a row of a timeline shows it.
public struct InspectorChange: Sendable, Hashable, Encodable {
  /// The kinds of changes.
  @nonexhaustive
  public enum Operation: String, Sendable, Hashable, Encodable {
    /// The resource is new.
    case insert
    /// The resource is different.
    case update
    /// The resource is gone.
    case delete
    /// Events or rows were added.
    case append
  }

  /// The number of the change, as a decimal number.
  public var sequence: String

  /// The identifier of the resource.
  public var resource: String

  /// The kind of the resource.
  public var kind: InspectedResource.Kind

  /// The kind of the change.
  public var operation: Operation

  /// The version of the resource after the change.
  package var version: String?

  /// The time of the change.
  public var at: Date

  /// The identifier of the process that made the change, if it is known.
  public var process: String?

  /// The name under which a process shares the database, if it is known.
  public var author: String?

  /// The reason that the process gave for the change; see `Cause`.
  public var cause: String?

  /// The number of writes that the change represents.
  public var count = 1

  /// The change as one line.
  public var summary: String

  /// The differences of the values.
  public var differences: [InspectedDifference]?

  /// The number of differences that ``differences`` leaves out.
  public var more: Int?

  private enum CodingKeys: String, CodingKey {
    case kind, at, author, cause, summary, more
    case sequence = "seq"
    case differences = "diff"
    case resource = "r"
    case operation = "op"
    case version = "v"
    case process = "proc"
    case count = "n"
  }
}

package import Foundation

/// Everything that an ``Inspector`` sees in the directory of a group at one moment.
///
/// It is a plain value, and its JSON is the protocol of the inspector's panel and command line. There, times are
/// seconds since 1970: set the `dateEncodingStrategy` of a `JSONEncoder` to `secondsSince1970`.
public struct InspectorSnapshot: Sendable, Hashable, Encodable {
  /// The version of the protocol.
  package static let currentProtocol = 1

  /// The version of the protocol that the snapshot follows.
  package var `protocol` = currentProtocol

  /// A text that is different for each inspector, so that sequences of different inspectors are not mixed up.
  package var epoch: String

  /// The number of changes so far, as a decimal number.
  package var seq: String

  /// A Boolean value that indicates whether the inspector makes changes.
  public var writable: Bool

  /// The name of the directory.
  package var name: String

  /// The path of the directory.
  public var directory: String

  /// The time at which the snapshot was taken.
  package var at: Date

  /// The processes that are present, hold a lock or publish their signals.
  public var processes: [InspectedProcess]

  /// Everything in the directory, in the order of the identifiers.
  public var resources: [InspectedResource]

  /// The places that cannot be inspected.
  public var problems: [InspectedProblem]

  /// Returns the resource with an identifier.
  ///
  /// - Parameter id: The identifier, such as `file/settings.json`.
  /// - Returns: The resource, or `nil` if there is none.
  /// - Complexity: O(log *n*).
  public subscript(id: String) -> InspectedResource? {
    var (low, high) = (0, resources.count)
    while low < high {
      let middle = (low + high) / 2
      if resources[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < resources.count && resources[low].id == id ? resources[low] : nil
  }

  /// Returns the resources of a kind, in the order of the identifiers.
  ///
  /// - Parameter kind: The kind.
  /// - Returns: The resources.
  public func resources(_ kind: InspectedResource.Kind) -> [InspectedResource] { resources.filter { $0.kind == kind } }
}

/// A process that takes part in a group.
public struct InspectedProcess: Sendable, Hashable, Encodable, Identifiable {
  /// The name and the process identifier, such as `app-812`.
  public var id: String

  /// The process identifier.
  public var pid: Int32

  /// The name.
  public var name: String

  /// The time since which the process is present, if it announced itself.
  package var since: Date?

  /// A Boolean value that indicates whether the process announced that it is suspended.
  public var suspended = false

  /// A Boolean value that indicates whether a signal or a debugger has stopped the process.
  public var stopped = false

  /// The number of locks that the process holds.
  public var holds = 0

  /// The presences in which the process announced itself.
  package var presences: [String]?

  /// A Boolean value that indicates whether the process publishes its signals.
  ///
  /// See ``Inspector/publish(in:allowingEdits:)``.
  package var publishes = false
}

/// A place that cannot be inspected.
public struct InspectedProblem: Sendable, Hashable, Encodable {
  /// The identifier of the resource or path.
  package var id: String

  /// The path, relative to the inspected directory.
  public var path: String

  /// The operation that failed.
  package var operation: String

  /// The reason.
  package var cause: String

  /// The remedy.
  package var remedy: String

  /// The operation, the reason and the remedy.
  public var message: String

  init(id: String, path: String, operation: String, cause: String, remedy: String) {
    (self.id, self.path, self.operation, self.cause, self.remedy) = (id, path, operation, cause, remedy)
    message = "Can't \(operation.prefix(1).lowercased() + operation.dropFirst()): \(cause). \(remedy)"
  }
}

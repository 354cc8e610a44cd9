public import Foundation

/// A present process and the value that it announces.
public struct PresentProcess<Value: Sendable>: Sendable, Identifiable {
  /// The unique identifier of the announcement.
  public let id: UUID

  /// The process identifier, for people and logs.
  ///
  /// It may belong to another process by the time it is read. In another container, it is a number in the table of
  /// processes of that container.
  public let processIdentifier: Int32

  /// The name of the process.
  public let processName: String

  /// The time when the process became present, according to its own clock.
  public let since: Date

  /// The announced value.
  public let value: Value

  /// A Boolean value that indicates whether the process has suspended its work in the container.
  ///
  /// It holds no lock there, and continues after it calls `resume()` of its ``AppGroupsContainer``.
  public let isSuspended: Bool

  /// A Boolean value that indicates whether this is the current process.
  public let isThisProcess: Bool
}

extension PresentProcess: Equatable where Value: Equatable {}

extension PresentProcess: Hashable where Value: Hashable {}

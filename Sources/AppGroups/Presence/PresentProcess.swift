public import Foundation

/// A present process and the value that it announces.
public struct PresentProcess<Value: Sendable>: Sendable, Identifiable {
  /// The unique identifier of the announcement.
  public let id: UUID

  /// The number of the process, for people and logs; by the time it is read it may belong to another process.
  public let processIdentifier: Int32

  /// The name of the process.
  public let processName: String

  /// When the process became present, by its own clock.
  public let since: Date

  /// The announced value.
  public let value: Value

  /// A Boolean value that indicates whether it is the current process.
  public let isThisProcess: Bool
}

extension PresentProcess: Equatable where Value: Equatable {}

extension PresentProcess: Hashable where Value: Hashable {}

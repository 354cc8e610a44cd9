public import Foundation

/// A process that is present, and what it says.
public struct PresentProcess<Value: Sendable>: Sendable, Identifiable {
  /// What tells this announcement from all others, ever.
  public let id: UUID

  /// The number of the process, for people and logs; by the time it is read it may belong to another process.
  public let processIdentifier: Int32

  /// What the process is called.
  public let processName: String

  /// When the process became present, by its own clock.
  public let since: Date

  /// What the process says.
  public let value: Value

  /// Whether it is the process that asks.
  public let isThisProcess: Bool
}

extension PresentProcess: Equatable where Value: Equatable {}

extension PresentProcess: Hashable where Value: Hashable {}

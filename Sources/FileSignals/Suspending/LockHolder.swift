/// A process that holds a lock.
public struct LockHolder: Hashable, Sendable {
  /// The process identifier.
  public let processIdentifier: Int32

  /// The name of the process.
  public let processName: String

  /// A Boolean value that indicates whether the process was stopped by a signal or a debugger when it was found.
  public internal(set) var isStopped = false
}

extension LockHolder: CustomStringConvertible {
  /// The name and identifier of the process, such as `Widget (process 4711, stopped)`.
  public var description: String { "\(processName) (process \(processIdentifier)\(isStopped ? ", stopped" : ""))" }
}

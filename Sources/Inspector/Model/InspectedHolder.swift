/// A process in its role as the holder of a lock.
package struct InspectedHolder: Sendable, Hashable, Encodable {
  /// The process identifier.
  package var pid: Int32

  /// The name.
  package var name: String

  /// The identifier of the ``InspectedProcess``.
  package var process: String

  /// A Boolean value that indicates whether a signal or a debugger has stopped the process.
  package var stopped: Bool
}

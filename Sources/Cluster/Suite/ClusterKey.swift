/// The name of a value in a suite of a cluster, with its type and default.
public struct ClusterKey<Value: Codable & Sendable>: Sendable {
  /// The name of the value; any string is allowed.
  public let name: String

  /// The value until one is set.
  public let defaultValue: Value

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - name: The name of the value; any string is allowed.
  ///   - defaultValue: The value until one is set. It is never written.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}

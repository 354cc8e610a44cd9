/// A value of a cluster as one machine keeps it, with the revision that orders it among others.
///
/// It is the content of a cache: see ``ClusterValue/open(key:initialValue:cluster:cache:patience:)``. Its JSON has the
/// fields `value` and `revision`.
public struct ClusterRecord<Value: Codable & Sendable>: Sendable {
  /// The value.
  public internal(set) var value: Value

  /// The revision at which the value was stored in the cluster; 0 if none was received yet.
  public internal(set) var revision: Int64

  /// Creates a record before anything was received.
  ///
  /// - Parameter initialValue: The value until one is received.
  public init(_ initialValue: Value) {
    self.init(initialValue, at: 0)
  }

  init(_ value: Value, at revision: Int64) {
    (self.value, self.revision) = (value, revision)
  }
}

extension ClusterRecord: Codable {
  private enum Key: String, CodingKey {
    case value, revision
  }

  /// Decodes a record.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if the data is not a record with such a value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    value = try container.decode(Value.self, forKey: .value)
    revision = try container.decode(Int64.self, forKey: .revision)
  }

  /// Encodes the record.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(value, forKey: .value)
    try container.encode(revision, forKey: .revision)
  }
}

extension ClusterRecord: Equatable where Value: Equatable {}

extension ClusterRecord: Hashable where Value: Hashable {}

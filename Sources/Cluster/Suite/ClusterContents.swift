import Foundation

/// A snapshot of the values of a suite.
public struct ClusterContents: Sendable {
  private let entries: RangeEntries
  private let place: String

  init(_ entries: RangeEntries, place: String) {
    (self.entries, self.place) = (entries, place)
  }

  /// The names of all stored values.
  ///
  /// Keys that are not the encoding of a name are left out.
  public var names: Set<String> { Set(entries.entries.keys.compactMap { KeyName.decoded($0) }) }

  /// Returns the value of a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The stored value, or the default if there is none.
  /// - Throws: ``ClusterError/undecodable(key:reason:)`` if the content is of another type.
  public func value<Value>(for key: ClusterKey<Value>) throws(ClusterError) -> Value {
    guard let data = self.data(of: key.name) else { return key.defaultValue }
    return try ValueCoding.decode(Value.self, from: data, key: "\(place)/\(key.name)")
  }

  /// The stored bytes of a name.
  func data(of name: String) -> Data? { entries.entries[Data(KeyName.encoded(name).utf8)]?.value }
}

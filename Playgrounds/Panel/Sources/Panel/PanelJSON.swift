public import Foundation

/// The JSON of the inspector's protocol on one line: times are seconds since 1970, and names are sorted.
public enum PanelJSON {
  /// Encodes a value.
  ///
  /// - Parameter value: A value of the inspector, such as an `InspectorSnapshot`.
  /// - Returns: The JSON.
  /// - Throws: `EncodingError` if a value holds a number that JSON cannot represent.
  public static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    return try encoder.encode(value)
  }
}

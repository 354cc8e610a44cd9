package import Foundation

/// The JSON encoding of the inspector's protocol: times are seconds since 1970, and names are sorted.
package enum InspectorJSON: Sendable {
  /// Encodes a value on one line.
  ///
  /// - Parameter value: A value of the model, such as an ``InspectorSnapshot``.
  /// - Returns: The JSON.
  /// - Throws: `EncodingError` if a value holds a number that JSON cannot represent.
  package static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    return try encoder.encode(value)
  }

  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - data: The JSON.
  /// - Returns: The value.
  /// - Throws: `DecodingError`.
  package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try decoder.decode(type, from: data)
  }
}

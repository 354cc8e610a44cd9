import Foundation

/// The encoding of values as plain JSON.
enum ValueCoding {
  /// Encodes a value with sorted keys, so that equal values give equal bytes.
  static func encode(_ value: some Encodable, key: String, limit: Int) throws(ClusterError) -> Data {
    let data: Data
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      data = try encoder.encode(value)
    } catch {
      throw .unencodable(key: key, reason: reason(error))
    }
    guard data.count <= limit else { throw .valueTooLarge(key: key, size: data.count, limit: limit) }
    return data
  }

  /// Returns the bytes that processes store for a value; `nil` if it cannot be encoded.
  static func bytes(of value: some Encodable) -> Data? {
    do throws(ClusterError) {
      return try encode(value, key: "", limit: .max)
    } catch {
      return nil
    }
  }

  /// Decodes a value.
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, key: String) throws(ClusterError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw .undecodable(key: key, reason: reason(error))
    }
  }

  /// Returns the reason of an error, as a clause.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "the key \"\(key.stringValue)\" is missing\(place(context.codingPath))"
    case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context),
      DecodingError.dataCorrupted(let context):
      clause(context.debugDescription) + place(context.codingPath)
    case EncodingError.invalidValue(_, let context): clause(context.debugDescription) + place(context.codingPath)
    default: clause(String(describing: error))
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    let names = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return names.isEmpty ? "" : " at \(names.joined(separator: "."))"
  }

  private static func clause(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

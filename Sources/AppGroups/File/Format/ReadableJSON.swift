import Foundation

/// Readable JSON: indented, with sorted keys and one line break at the end.
enum ReadableJSON {
  // Stored, because creating them for each value would take a tenth more time.
  static let encoder = makeEncoder()
  static let decoder = JSONDecoder()

  /// Creates an encoder that sorts keys, even if `configure` removes that option.
  static func makeEncoder(_ configure: (JSONEncoder) -> Void = { _ in }) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
    configure(encoder)
    encoder.outputFormatting.insert(.sortedKeys)
    return encoder
  }

  static func encode(_ value: some Encodable, with encoder: JSONEncoder = encoder) throws -> Data {
    var data = try encoder.encode(value)
    data.append(UInt8(ascii: "\n"))
    return data
  }
}

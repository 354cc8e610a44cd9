import Foundation

/// JSON that people can read: indented, keys in order, one line break at the end.
enum ReadableJSON {
  // Kept, because to make them for each value would add a tenth.
  static let encoder = makeEncoder()
  static let decoder = JSONDecoder()

  /// Makes an encoder that sorts keys, whatever else it is told to do.
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

public import Foundation
import StrictJSON

/// A notation for values of any codable type, such as JSON.
///
/// A ``FileFormat`` encodes values of one type. A coding encodes values of all types, as the migration from older types
/// requires. You can make a coding from any encoder that produces data:
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// // JSON, turned around, as an encoder of another package might.
/// let odd = FileCoding(
///   encode: { Data(try JSONEncoder().encode($0).reversed()) },
///   decode: { try JSONDecoder().decode($0, from: Data($1.reversed())) }
/// )
/// let format = FileFormat<[Int]>(odd)
/// print(String(decoding: try format.encode([1, 2]), as: UTF8.self))  // Prints "]2,1["
/// ```
public struct FileCoding: Sendable {
  private let encodeAny: @Sendable (any Encodable) throws -> Data
  private let decodeAny: @Sendable (any Decodable.Type, Data) throws -> any Decodable

  /// A Boolean value that indicates whether the notation is JSON, so that errors can name a line and column.
  let isJSON: Bool

  /// Creates a coding.
  ///
  /// Both closures may be called from any thread, several at a time. Equal values should give equal bytes.
  ///
  /// - Parameters:
  ///   - encode: Encodes a value.
  ///   - decode: Decodes a value of the given type. It throws an error if the data is not such a value.
  public init(
    encode: @escaping @Sendable (any Encodable) throws -> Data,
    decode: @escaping @Sendable (any Decodable.Type, Data) throws -> any Decodable
  ) {
    self.init(isJSON: false, encode: encode, decode: decode)
  }

  private init(
    isJSON: Bool,
    encode: @escaping @Sendable (any Encodable) throws -> Data,
    decode: @escaping @Sendable (any Decodable.Type, Data) throws -> any Decodable
  ) {
    self.isJSON = isJSON
    encodeAny = encode
    decodeAny = decode
  }

  /// Readable JSON: indented, with sorted keys and one line break at the end.
  public static let json = FileCoding(
    isJSON: true,
    encode: { try ReadableJSON.encode($0) },
    decode: { try ReadableJSON.decoder.decodeExplaining($0, from: $1) }
  )

  /// Returns JSON with an encoder and a decoder that you configure.
  ///
  /// - Parameters:
  ///   - encoder: Configures a new encoder for each value, on any thread, so it must always do the same. Keys are
  ///     sorted in any case.
  ///   - decoder: Configures a new decoder for each value.
  /// - Returns: The coding.
  public static func json(
    encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) -> FileCoding {
    let sample = JSONDecoder()
    decoder(sample)
    return FileCoding(
      // JSON5 allows syntax that would be reported as an error here.
      isJSON: !sample.allowsJSON5,
      encode: { try ReadableJSON.encode($0, with: ReadableJSON.makeEncoder(encoder)) },
      decode: { type, data in
        let json = JSONDecoder()
        decoder(json)
        return try json.decodeExplaining(type, from: data)
      }
    )
  }

  /// A property list in XML, which people and the tools of Apple's systems can read.
  ///
  /// A value must be an array, a dictionary, or a type that is encoded as one, because the root of a property list is
  /// one of these. Infinity and NaN are kept. Dates are truncated to whole seconds, unlike in the binary form.
  public static let propertyList = FileCoding(
    encode: { value in
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .xml
      return try encoder.encode(value)
    },
    decode: { try PropertyListDecoder().decode($0, from: $1) }
  )

  /// A property list in binary form, which is smaller and keeps dates exactly.
  ///
  /// A value must be an array, a dictionary, or a type that is encoded as one.
  public static let binaryPropertyList = FileCoding(
    encode: { value in
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      return try encoder.encode(value)
    },
    decode: { try PropertyListDecoder().decode($0, from: $1) }
  )

  func encode(_ value: some Encodable) throws -> Data {
    try encodeAny(value)
  }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let value = try decodeAny(type, data)
    guard let value = value as? Value else { throw WrongType(found: "\(Swift.type(of: value))", wanted: "\(type)") }
    return value
  }
}

/// The error of a custom coding that decodes a value of the wrong type.
private struct WrongType: Error, CustomStringConvertible {
  let found: String
  let wanted: String

  var description: String { "the coding returned a value of type \(found) instead of \(wanted)" }
}

extension JSONReader {
  /// Reads a text.
  ///
  /// - Parameters:
  ///   - data: The text.
  ///   - depth: The number of arrays and objects in which the value will be nested.
  ///   - body: Reads the value, which must be the entire text.
  /// - Returns: The result of `body`.
  /// - Throws: ``TextProblem``.
  static func read<Result>(
    _ data: Data, depth: Int = 0, _ body: (inout JSONReader) throws(TextProblem) -> Result
  ) throws(TextProblem) -> Result {
    try data.withUnsafeBytes { bytes in
      Swift.Result { () throws(TextProblem) in try read(bytes.bindMemory(to: UInt8.self), depth: depth, body) }
    }.get()
  }

  /// Returns the text of a value in the layout of a suite's member.
  ///
  /// - Throws: ``TextProblem``.
  static func memberText(of value: Data) throws(TextProblem) -> Data {
    var text: [UInt8] = []
    try read(value, depth: 1) { reader throws(TextProblem) in try reader.layOut(into: &text) }
    return Data(text)
  }
}

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

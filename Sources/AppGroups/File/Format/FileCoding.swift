public import Foundation

/// A notation in which any codable value can be written down, such as JSON.
///
/// A ``FileFormat`` is for the values of one type; a coding is for all types, as migration from older ones requires.
/// Any encoder that makes data can be one:
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

  /// Whether what is written is JSON, so that errors can say line and column.
  let isJSON: Bool

  /// Makes a coding.
  ///
  /// Both closures may be called from any thread, several at a time. Equal values should give equal bytes.
  ///
  /// - Parameters:
  ///   - encode: Writes a value down.
  ///   - decode: Makes a value of the given type from what was written; throws if it cannot.
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

  /// JSON that people can read: indented, keys in order, one line break at the end.
  public static let json = FileCoding(
    isJSON: true,
    encode: { try ReadableJSON.encode($0) },
    decode: { try ReadableJSON.decoder.decode($0, from: $1) }
  )

  /// JSON written and read the way you say.
  ///
  /// - Parameters:
  ///   - encoder: Configures the encoder, a new one for each value, so it must do the same every time, on any thread.
  ///     Keys stay sorted whatever it says.
  ///   - decoder: Configures the decoder, a new one each time.
  /// - Returns: The coding.
  public static func json(
    encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) -> FileCoding {
    let sample = JSONDecoder()
    decoder(sample)
    return FileCoding(
      // JSON5 allows what would be reported as an error here.
      isJSON: !sample.allowsJSON5,
      encode: { try ReadableJSON.encode($0, with: ReadableJSON.makeEncoder(encoder)) },
      decode: { type, data in
        let json = JSONDecoder()
        decoder(json)
        return try json.decode(type, from: data)
      }
    )
  }

  /// A property list as XML; dates are cut to whole seconds.
  public static let propertyList = FileCoding(
    encode: { value in
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .xml
      return try encoder.encode(value)
    },
    decode: { try PropertyListDecoder().decode($0, from: $1) }
  )

  /// A property list in its binary form.
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

/// A coding of the user's that makes something else than it was asked for.
private struct WrongType: Error, CustomStringConvertible {
  let found: String
  let wanted: String

  var description: String { "the coding made a \(found) where a \(wanted) was asked for" }
}

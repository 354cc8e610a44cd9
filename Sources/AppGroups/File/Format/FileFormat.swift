public import Foundation

/// How the values of a shared file are written down and read back.
///
/// Equal values should give equal bytes, because bytes are what tells news from an echo.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let lines = FileFormat<[String]>(
///   encode: { Data($0.joined(separator: "\n").utf8) },
///   decode: { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) }
/// )
/// print(try lines.decode(lines.encode(["one", "two"])))  // Prints "["one", "two"]"
/// ```
///
/// - **Equal bytes.** The formats that come with the package sort the keys of objects and dictionaries. A `Set`, and a
///   dictionary whose keys are neither strings nor integers, are written in an order that differs from process to
///   process: the same value, written again, is then a change. Store a sorted array where that matters.
/// - **Empty content** is no value in most formats, and then a failure like any other that cannot be decoded. Where
///   ``decode`` makes a value of it, as ``text`` and ``rawData`` do, it counts once it has stood for a third of a
///   second: programs that write in place empty a file first, and are about to fill it.
public struct FileFormat<Value: Sendable>: Sendable {
  /// Makes the content of the file from a value.
  public let encode: @Sendable (Value) throws -> Data

  /// Makes a value from the content of the file; throws if it cannot.
  public let decode: @Sendable (Data) throws -> Value

  /// Whether what is written is JSON, so that errors can say line and column.
  private let isJSON: Bool

  /// Makes a format.
  ///
  /// Both closures may be called from any thread, several at a time.
  ///
  /// - Parameters:
  ///   - encode: Makes the content of the file from a value.
  ///   - decode: Makes a value from the content of the file. What it throws reaches the user as the reason why the
  ///     content is undecodable; a ``FileVersionError`` reaches the user as such.
  public init(
    encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.init(isJSON: false, encode: encode, decode: decode)
  }

  init(
    isJSON: Bool,
    encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.encode = encode
    self.decode = decode
    self.isJSON = isJSON
  }
}

// MARK: Any codable value

extension FileFormat where Value: Codable {
  /// Makes the format that writes values down as they are, in a notation for any of them.
  ///
  /// - Parameter coding: The notation, such as ``FileCoding/json``.
  public init(_ coding: FileCoding) {
    self.init(
      isJSON: coding.isJSON,
      encode: { try coding.encode($0) },
      decode: { try coding.decode(Value.self, from: $0) }
    )
  }

  /// JSON that people can read and other programs can write: indented, keys in order, one line break at the end.
  ///
  /// Numbers and dates come back as they were, to the last bit, `-0.0` among them. JSON knows neither infinity nor NaN:
  /// they cannot be encoded, unless ``json(encoder:decoder:)`` says how.
  public static var json: FileFormat {
    // Not by way of the coding, which must find out at run time what is known here.
    FileFormat(
      isJSON: true,
      encode: { try ReadableJSON.encode($0) },
      decode: { try ReadableJSON.decoder.decode(Value.self, from: $0) }
    )
  }

  /// JSON written and read the way you say.
  ///
  /// ```swift
  /// import AppGroups
  /// import Foundation
  ///
  /// let dated = FileFormat<[Date]>.json(
  ///   encoder: { $0.dateEncodingStrategy = .iso8601 },
  ///   decoder: { $0.dateDecodingStrategy = .iso8601 }
  /// )
  /// let content = try dated.encode([Date(timeIntervalSince1970: 0)])
  /// print(String(decoding: content, as: UTF8.self).contains("1970-01-01T00:00:00Z"))  // Prints "true"
  /// ```
  ///
  /// - Parameters:
  ///   - encoder: Configures the encoder, a new one for each value, so it must do the same every time, on any thread.
  ///     Keys stay sorted whatever it says.
  ///   - decoder: Configures the decoder, a new one each time.
  /// - Returns: The format.
  public static func json(
    encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) -> FileFormat {
    FileFormat(.json(encoder: encoder, decoder: decoder))
  }

  /// A property list as XML, which people and the tools of Apple's systems can read.
  ///
  /// The value must be an array, a dictionary, or a type that is encoded as one, since a property list is one of these.
  /// Infinity and NaN are kept; dates are cut to whole seconds, which the binary form does not do.
  public static var propertyList: FileFormat { FileFormat(.propertyList) }

  /// A property list in its binary form, which is smaller and keeps dates exactly.
  ///
  /// The value must be an array, a dictionary, or a type that is encoded as one.
  public static var binaryPropertyList: FileFormat { FileFormat(.binaryPropertyList) }
}

// MARK: Bytes and text

extension FileFormat where Value == Data {
  /// The bytes as they are.
  public static var rawData: FileFormat {
    FileFormat(encode: { $0 }, decode: { $0 })
  }
}

extension FileFormat where Value == String {
  /// The text as it is, in UTF-8, with nothing added and nothing taken away.
  ///
  /// Content that is not UTF-8 is undecodable, and is not repaired.
  public static var text: FileFormat {
    FileFormat(
      encode: { Data($0.utf8) },
      decode: { data in
        guard let text = String(validating: data, as: UTF8.self) else { throw NotUTF8() }
        return text
      }
    )
  }
}

private struct NotUTF8: Error, CustomStringConvertible {
  let description = "it is not text in UTF-8"
}

// MARK: Errors

extension FileFormat {
  func encoded(_ value: Value, for url: URL) throws(AppGroupsFileError) -> Data {
    do {
      return try encode(value)
    } catch {
      throw .unencodable(url, reason: CodingReason.words(for: error))
    }
  }

  func decoded(_ data: Data, from url: URL) throws(AppGroupsFileError) -> Value {
    do {
      return try decode(data)
    } catch let error as FileVersionError {
      throw AppGroupsFileError(error, url)
    } catch {
      guard !data.isEmpty else { throw .empty(url) }
      throw .undecodable(url, reason: CodingReason.words(for: error, in: isJSON ? data : nil))
    }
  }
}

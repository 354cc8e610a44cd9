public import Foundation

/// The encoding of the values of a shared file.
///
/// Equal values should give equal bytes, because bytes are compared to distinguish a change from an echo.
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
/// - **Equal bytes.** The formats of this package sort the keys of objects and dictionaries. A `Set`, and a dictionary
///   whose keys are neither strings nor integers, are encoded in an order that differs between processes. If such a
///   value is written again, it counts as a change. Store a sorted array where that matters.
/// - **Empty content** is an error in most formats, like other content that cannot be decoded. If ``decode`` accepts
///   it, as in ``text`` and ``rawData``, its value counts once the file has been empty for a third of a second.
///   Programs that write in place empty a file before they fill it.
public struct FileFormat<Value: Sendable>: Sendable {
  /// Encodes a value as the content of the file.
  public let encode: @Sendable (Value) throws -> Data

  /// Decodes a value from the content of the file.
  ///
  /// It throws an error if the content is invalid.
  public let decode: @Sendable (Data) throws -> Value

  /// A Boolean value that indicates whether the content is JSON, so that errors can name a line and column.
  let isJSON: Bool

  /// Returns the same sealed format for one file, of which it remembers the content; `nil` if the content is not sealed.
  private let makingForOneFile: (@Sendable () -> FileFormat)?

  /// Creates a format.
  ///
  /// Both closures may be called from any thread, several at a time. `decode` must accept the output of `encode`. The
  /// first write of each object checks that, and throws an error otherwise.
  ///
  /// - Parameters:
  ///   - encode: Encodes a value as the content of the file.
  ///   - decode: Decodes a value from the content of the file. An error that it throws becomes the reason of
  ///     ``AppGroupsFileError/undecodable(_:reason:)``. A ``FileVersionError`` becomes the corresponding error of the
  ///     file.
  public init(
    encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.init(isJSON: false, encode: encode, decode: decode)
  }

  init(
    isJSON: Bool,
    forOneFile: (@Sendable () -> FileFormat)? = nil,
    encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.encode = encode
    self.decode = decode
    self.isJSON = isJSON
    makingForOneFile = forOneFile
  }

  /// A Boolean value that indicates whether the content is sealed.
  var isSealed: Bool { makingForOneFile != nil }

  /// The format for one more file: equal values of two files must not have equal sealed bytes.
  var forOneFile: FileFormat { makingForOneFile?() ?? self }
}

// MARK: Any codable value

extension FileFormat where Value: Codable {
  /// Creates a format that encodes values with a coding.
  ///
  /// - Parameter coding: The coding, such as ``FileCoding/json``.
  public init(_ coding: FileCoding) {
    self.init(
      isJSON: coding.isJSON,
      encode: { try coding.encode($0) },
      decode: { try coding.decode(Value.self, from: $0) }
    )
  }

  /// Readable JSON that other programs can write: indented, with sorted keys and one line break at the end.
  ///
  /// Numbers and dates are restored exactly, including `-0.0`. JSON cannot represent infinity and NaN: encoding them is
  /// an error, unless you set a strategy in ``json(encoder:decoder:)``.
  public static var json: FileFormat {
    // Without the coding, which must determine the type at run time.
    FileFormat(
      isJSON: true,
      encode: { try ReadableJSON.encode($0) },
      decode: { try ReadableJSON.decoder.decodeExplaining(Value.self, from: $0) }
    )
  }

  /// Returns JSON with an encoder and a decoder that you configure.
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
  ///   - encoder: Configures a new encoder for each value, on any thread, so it must always do the same. Keys are
  ///     sorted in any case.
  ///   - decoder: Configures a new decoder for each value.
  /// - Returns: The format.
  public static func json(
    encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
    decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
  ) -> FileFormat {
    FileFormat(.json(encoder: encoder, decoder: decoder))
  }
}

// MARK: Bytes and text

extension FileFormat where Value == Data {
  /// The bytes as they are.
  public static var rawData: FileFormat {
    FileFormat(encode: { $0 }, decode: { $0 })
  }
}

extension FileFormat where Value == String {
  /// The text in UTF-8, unchanged.
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
  let description = "it is not valid UTF-8 text"
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
      if let error = error as? FileSealError { throw AppGroupsFileError(error, url) }
      if !isSealed, let key = FileSeal.key(of: data) { throw .unknownKey(url, key: key) }
      throw .undecodable(url, reason: CodingReason.words(for: error, in: isJSON ? data : nil))
    }
  }
}

extension FileFormat where Value: Codable {
  /// JSON without white space, because no one edits a log by hand.
  static var compactJSON: FileFormat {
    // Reused, because creating them for each event would add a tenth to the time of an append.
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.outputFormatting = .withoutEscapingSlashes
    return FileFormat(
      encode: { try encoder.encode($0) },
      decode: { try decoder.decodeExplaining(Value.self, from: $0) }
    )
  }
}

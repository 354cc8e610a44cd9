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
public struct FileFormat<Value: Sendable>: Sendable {
  /// Makes the content of the file from a value.
  public let encode: @Sendable (Value) throws -> Data

  /// Makes a value from the content of the file; throws if it cannot.
  public let decode: @Sendable (Data) throws -> Value

  /// Makes a format.
  ///
  /// Both closures may be called from any thread, several at a time.
  ///
  /// - Parameters:
  ///   - encode: Makes the content of the file from a value.
  ///   - decode: Makes a value from the content of the file. What it throws reaches the user as the reason why the content
  ///     is undecodable.
  public init(
    encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.encode = encode
    self.decode = decode
  }
}

extension FileFormat where Value: Codable {
  /// JSON that people can read and other programs can write: indented, keys in order, one line break at the end.
  public static var json: FileFormat {
    FileFormat(
      encode: { value in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        var data = try encoder.encode(value)
        data.append(UInt8(ascii: "\n"))
        return data
      },
      decode: { try JSONDecoder().decode(Value.self, from: $0) }
    )
  }
}

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
    } catch {
      throw data.isEmpty ? .empty(url) : .undecodable(url, reason: CodingReason.words(for: error))
    }
  }
}

import FileSignals
import Foundation

/// The content of a file of versioned values: the value and its version, or a value that was written without a version.
struct FileEnvelope<Value> {
  /// The version in the content; `nil` if there is none.
  let version: Int?

  let content: Result<Value, any Error>

  enum Key: String, CodingKey, CaseIterable {
    case version
    case value
  }

  /// A key with any name, for finding out whether there are other keys.
  private struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
      self.stringValue = stringValue
      intValue = nil
    }

    init(intValue: Int) {
      stringValue = "\(intValue)"
      self.intValue = intValue
    }
  }
}

extension FileEnvelope: Encodable where Value: Encodable {
  init(version: Int, value: Value) {
    self.version = version
    content = .success(value)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(version, forKey: .version)
    try container.encode(content.get(), forKey: .value)
  }
}

extension FileEnvelope: Decodable where Value: Decodable {
  init(from decoder: any Decoder) throws {
    version = Self.version(in: decoder)
    if version == nil {
      // Not `Value(from:)`, which would bypass the decoder's strategies for dates, data and the like.
      content = Result { try decoder.singleValueContainer().decode(Value.self) }
    } else {
      content = Result { try decoder.container(keyedBy: Key.self).decode(Value.self, forKey: .value) }
    }
  }

  /// Returns the version in an envelope, or `nil` if the content is not one.
  ///
  /// It is not an envelope if it has another key, or if its version is not an integer.
  private static func version(in decoder: any Decoder) -> Int? {
    // The content is not an object, or its version is not a number: it is a plain value.
    tolerating(else: nil) {
      let keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
      guard keys.count == Key.allCases.count, Set(keys) == Set(Key.allCases.map(\.rawValue)) else { return nil }
      return try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .version)
    }
  }
}

/// The place of the version in the content.
enum VersionPlace: Sendable {
  /// An object with two keys, `version` and `value`. Other content has no version.
  case besideValue

  /// A key of the value's own object, `version`, which is required.
  case amongKeys

  /// Encodes a value together with its version.
  func encode(_ value: some Encodable, version: Int, _ coding: FileCoding) throws -> Data {
    switch self {
    case .besideValue: try coding.encode(FileEnvelope(version: version, value: value))
    case .amongKeys: try coding.encode(FileRecord(version: version, value: value))
    }
  }

  /// Returns the version in the content, and the value or the reason why it cannot be decoded.
  ///
  /// The value is decoded together with the version, because parsing takes most of the time. That succeeds if the
  /// content has the current version. A failure counts only if it has.
  func parse<Value: Decodable>(
    _ type: Value.Type, _ data: Data, _ coding: FileCoding
  ) throws -> (version: Int?, content: Result<Value, any Error>) {
    switch self {
    case .besideValue:
      let envelope = try coding.decode(FileEnvelope<Value>.self, from: data)
      return (envelope.version, envelope.content)
    case .amongKeys:
      let record = try coding.decode(FileRecord<Value>.self, from: data)
      return (record.version, record.content)
    }
  }
}

/// A value whose object also contains its version.
private struct FileRecord<Value> {
  let version: Int
  let content: Result<Value, any Error>

  enum Key: String, CodingKey {
    case version
  }
}

extension FileRecord: Encodable where Value: Encodable {
  init(version: Int, value: Value) {
    self.version = version
    content = .success(value)
  }

  func encode(to encoder: any Encoder) throws {
    try content.get().encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(version, forKey: .version)
  }
}

extension FileRecord: Decodable where Value: Decodable {
  init(from decoder: any Decoder) throws {
    version = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .version)
    content = Result { try Value(from: decoder) }
  }
}

import Foundation

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

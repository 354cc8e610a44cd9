import FileSignals

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

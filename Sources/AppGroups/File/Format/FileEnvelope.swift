/// The content of a file of versioned values: the value and its version, or a value from before there were versions.
struct FileEnvelope<Value> {
  /// The version that the content says; `nil` if it says none.
  let version: Int?

  let content: Result<Value, any Error>

  enum Key: String, CodingKey, CaseIterable {
    case version
    case value
  }

  /// Any key at all, in order to see whether there are others.
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
      // Not `Value(from:)`, which would pass by what the decoder does for dates, data and the like.
      content = Result { try decoder.singleValueContainer().decode(Value.self) }
    } else {
      content = Result { try decoder.container(keyedBy: Key.self).decode(Value.self, forKey: .value) }
    }
  }

  /// The version that an envelope says, and `nil` if this is none: if there is any other key, or another kind of
  /// version.
  private static func version(in decoder: any Decoder) -> Int? {
    do {
      let keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
      guard keys.count == Key.allCases.count, Set(keys) == Set(Key.allCases.map(\.rawValue)) else { return nil }
      return try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .version)
    } catch {
      // No object at all, or a version that is no number: content of somebody's own.
      return nil
    }
  }
}

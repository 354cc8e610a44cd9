/// The gateway of etcd writes 64-bit integers as JSON strings and omits zeros.
///
/// These functions also accept numbers.
extension KeyedDecodingContainer {
  /// Returns a signed integer; 0 if it is omitted.
  func integer(_ key: Key) throws -> Int64 {
    try number(key)
  }

  /// Returns a revision; 0 if it is omitted.
  ///
  /// - Throws: An error if it is negative, or so large that a calculation with it could overflow.
  func revision(_ key: Key) throws -> Int64 {
    let revision = try integer(key)
    guard revision >= 0, revision <= Int64.max / 2 else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(revision) is not a revision")
    }
    return revision
  }

  /// Returns an identity; 0 if it is omitted.
  func identity(_ key: Key) throws -> UInt64 {
    try number(key)
  }

  /// Returns a Boolean value; `false` if it is omitted.
  func flag(_ key: Key) throws -> Bool {
    try decodeIfPresent(Bool.self, forKey: key) ?? false
  }

  private func number<Number: FixedWidthInteger & Decodable>(_ key: Key) throws -> Number {
    guard contains(key), try !decodeNil(forKey: key) else { return 0 }
    let text: String
    do {
      text = try decode(String.self, forKey: key)
    } catch DecodingError.typeMismatch {
      return try decode(Number.self, forKey: key)
    }
    guard let number = Number(text) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "\(text) is not an integer")
    }
    return number
  }
}

extension KeyedEncodingContainer {
  /// Encodes an integer as a string, unless it is zero.
  mutating func encode(integer: Int64, _ key: Key) throws {
    if integer != 0 { try encode(String(integer), forKey: key) }
  }

  /// Encodes a Boolean value, unless it is `false`.
  mutating func encode(flag: Bool, _ key: Key) throws {
    if flag { try encode(true, forKey: key) }
  }
}

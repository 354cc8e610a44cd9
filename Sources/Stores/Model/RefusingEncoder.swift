/// A keyed container for a model that cannot be encoded.
///
/// Every attempt to encode a value throws.
struct RefusingKeys<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let error: ModelError

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { throw error }
  func encode(_ value: Bool, forKey key: Key) throws { throw error }
  func encode(_ value: String, forKey key: Key) throws { throw error }
  func encode(_ value: Double, forKey key: Key) throws { throw error }
  func encode(_ value: Float, forKey key: Key) throws { throw error }
  func encode(_ value: Int, forKey key: Key) throws { throw error }
  func encode(_ value: Int64, forKey key: Key) throws { throw error }
  func encode(_ value: Int8, forKey key: Key) throws { throw error }
  func encode(_ value: Int16, forKey key: Key) throws { throw error }
  func encode(_ value: Int32, forKey key: Key) throws { throw error }
  func encode(_ value: UInt, forKey key: Key) throws { throw error }
  func encode(_ value: UInt8, forKey key: Key) throws { throw error }
  func encode(_ value: UInt16, forKey key: Key) throws { throw error }
  func encode(_ value: UInt32, forKey key: Key) throws { throw error }
  func encode(_ value: UInt64, forKey key: Key) throws { throw error }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw error }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeys<Nested>(error: error))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingElements(error: error) }
  func superEncoder() -> any Encoder { RefusingEncoder(error: error) }
  func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// An unkeyed or single-value container for a model that cannot be encoded.
struct RefusingElements: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let error: ModelError

  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  func encodeNil() throws { throw error }
  func encode(_ value: Bool) throws { throw error }
  func encode(_ value: String) throws { throw error }
  func encode(_ value: Double) throws { throw error }
  func encode(_ value: Float) throws { throw error }
  func encode(_ value: Int) throws { throw error }
  func encode(_ value: Int64) throws { throw error }
  func encode(_ value: Int8) throws { throw error }
  func encode(_ value: Int16) throws { throw error }
  func encode(_ value: Int32) throws { throw error }
  func encode(_ value: UInt) throws { throw error }
  func encode(_ value: UInt8) throws { throw error }
  func encode(_ value: UInt16) throws { throw error }
  func encode(_ value: UInt32) throws { throw error }
  func encode(_ value: UInt64) throws { throw error }
  func encode<Value: Encodable>(_ value: Value) throws { throw error }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeys<Nested>(error: error))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { RefusingEncoder(error: error) }
}

/// An encoder for a model that cannot be encoded.
struct RefusingEncoder: Encoder {
  let error: ModelError

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeys<Key>(error: error))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingElements(error: error) }
  func singleValueContainer() -> any SingleValueEncodingContainer { RefusingElements(error: error) }
}

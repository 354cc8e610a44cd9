/// The keyed container of a model that is encoded.
struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let row: RowEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { try row.select(key).writeNull() }

  @inline(__always)
  func encode(_ value: Bool, forKey key: Key) throws { try row.select(key).write(value) }

  @inline(__always)
  func encode(_ value: String, forKey key: Key) throws { try row.select(key).write(value) }

  @inline(__always)
  func encode(_ value: Double, forKey key: Key) throws { try row.select(key).write(value) }

  func encode(_ value: Float, forKey key: Key) throws { try row.select(key).write(value) }

  @inline(__always)
  func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) throws { try row.select(key).write(value) }

  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try row.select(key).writeAny(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    refusal(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { refusal(key) }

  func superEncoder() -> any Encoder { row.refuse("its superclass uses a separate container") }

  func superEncoder(forKey key: Key) -> any Encoder { refusal(key) }

  private func refusal(_ key: Key) -> RefusingEncoder {
    do {
      return try row.select(key).refuse("a model cannot use nested containers; give it a Codable property instead")
    } catch {
      return RefusingEncoder(error: error)
    }
  }
}

/// An encoder of one member of a model that encodes itself as a single value.
///
/// A member may keep its encoder, which keeps the encoder of the row.
struct MemberEncoder: Encoder, SingleValueEncodingContainer {
  let row: RowEncoder

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    row.refuse(nested).container(keyedBy: type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { row.refuse(nested) }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  private var nested: String {
    "it is a nested value, and the column's type is \(row.layout.columns[row.current].type.rawValue); list the column as json"
  }

  func encodeNil() { row.writeNull() }
  func encode(_ value: Bool) { row.write(value) }
  func encode(_ value: String) { row.write(value) }
  func encode(_ value: Double) throws { try row.write(value) }
  func encode(_ value: Float) throws { try row.write(value) }
  func encode(_ value: some FixedWidthInteger & Encodable) throws { try row.write(value) }
  func encode<Value: Encodable>(_ value: Value) throws { try row.writeAny(value) }
}

/// An encoder, unkeyed container or single-value container for a model that cannot be encoded.
///
/// Every attempt to encode a value throws.
struct RefusingEncoder: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let error: ModelError

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var count: Int { 0 }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeys<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws { throw error }
  func encode<Value: Encodable>(_ value: Value) throws { throw error }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { self }
}

/// A keyed container for a model that cannot be encoded.
private struct RefusingKeys<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RefusingEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { throw encoder.error }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw encoder.error }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder }
  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

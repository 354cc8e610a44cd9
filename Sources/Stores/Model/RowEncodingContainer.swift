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

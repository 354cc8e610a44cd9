/// The keyed container of a model that is encoded.
struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let row: RowEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws {
    try row.select(key)
    row.writeNull()
  }

  @inline(__always)
  func encode(_ value: Bool, forKey key: Key) throws {
    try row.select(key)
    row.write(value)
  }

  @inline(__always)
  func encode(_ value: String, forKey key: Key) throws {
    try row.select(key)
    row.write(value)
  }

  @inline(__always)
  func encode(_ value: Double, forKey key: Key) throws {
    try row.select(key)
    try row.write(value)
  }

  func encode(_ value: Float, forKey key: Key) throws { try encodeNumber(value, key) }

  @inline(__always)
  func encode(_ value: Int, forKey key: Key) throws {
    try row.select(key)
    try row.write(value)
  }

  @inline(__always)
  func encode(_ value: Int64, forKey key: Key) throws {
    try row.select(key)
    try row.write(value)
  }

  func encode(_ value: Int8, forKey key: Key) throws { try encodeNumber(value, key) }
  func encode(_ value: Int16, forKey key: Key) throws { try encodeNumber(value, key) }
  func encode(_ value: Int32, forKey key: Key) throws { try encodeNumber(value, key) }
  func encode(_ value: UInt, forKey key: Key) throws { try encodeNumber(value, key) }
  func encode(_ value: UInt8, forKey key: Key) throws { try encodeNumber(value, key) }
  func encode(_ value: UInt16, forKey key: Key) throws { try encodeNumber(value, key) }
  func encode(_ value: UInt32, forKey key: Key) throws { try encodeNumber(value, key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try encodeNumber(value, key) }

  private func encodeNumber(_ value: Float, _ key: Key) throws {
    try row.select(key)
    try row.write(value)
  }

  private func encodeNumber(_ value: some FixedWidthInteger, _ key: Key) throws {
    try row.select(key)
    try row.write(value)
  }

  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try row.select(key)
    try row.writeAny(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeys<Nested>(error: refusal(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusingElements(error: refusal(key)) }

  func superEncoder() -> any Encoder {
    RefusingEncoder(error: row.noteRefusal("its superclass uses a separate container"))
  }

  func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(error: refusal(key)) }

  private func refusal(_ key: Key) -> ModelError {
    do {
      try row.select(key)
    } catch {
      return error
    }
    return row.noteRefusal("a model cannot use nested containers; give it a Codable property instead")
  }
}

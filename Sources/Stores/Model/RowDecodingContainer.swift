/// The keyed container of a model that is decoded.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] { row.layout.columns.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { row.layout.places[key.stringValue] != nil }

  @inline(__always)
  private func cell(_ key: Key) throws(ModelError) -> SQLiteCell {
    try row.select(key)
    return row.cell
  }

  /// The cell of a key, unless it is null.
  @inline(__always)
  private func present(_ key: Key) throws(ModelError) -> SQLiteCell? {
    let cell = try cell(key)
    return cell.isNull ? nil : cell
  }

  func decodeNil(forKey key: Key) throws -> Bool { try cell(key).isNull }

  @inline(__always)
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try row.flag(cell(key)) }

  @inline(__always)
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try row.text(cell(key)) }

  @inline(__always)
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try row.double(cell(key)) }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try row.float(cell(key)) }

  @inline(__always)
  func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type, forKey key: Key) throws -> Number {
    try row.exactly(cell(key))
  }

  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try row.select(key)
    return try row.readAny(type)
  }

  // For these types, the protocol's own methods would look for the column three times.

  @inline(__always)
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key).map { try row.flag($0) } }

  @inline(__always)
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key).map { try row.text($0) }
  }

  @inline(__always)
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key).map { try row.double($0) }
  }

  @inline(__always)
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(key).map { try row.exactly($0) }
  }

  @inline(__always)
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try present(key).map { try row.integer($0) }
  }

  @inline(__always)
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try row.select(key)
    return row.isNull ? nil : try row.readAny(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw try refusal(key)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw try refusal(key) }

  func superDecoder() throws -> any Decoder { throw row.undecodable("its superclass uses a separate container") }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw try refusal(key) }

  private func refusal(_ key: Key) throws -> ModelError {
    try row.select(key)
    return row.undecodable("a model cannot use nested containers; give it a Codable property instead")
  }
}

/// The keyed container of a model that is decoded.
struct RowDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] { row.layout.columns.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { row.layout.places[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    try row.select(key)
    return row.isNull
  }

  @inline(__always)
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try row.select(key)
    return try row.flag(row.cell)
  }

  @inline(__always)
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try row.select(key)
    return try row.text(row.cell)
  }

  @inline(__always)
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try row.select(key)
    return try row.double(row.cell)
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try row.select(key)
    return try row.float(row.cell)
  }

  @inline(__always)
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  @inline(__always)
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try row.select(key)
    return try row.integer(row.cell)
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try row.select(key)
    return try row.exactly(row.cell)
  }

  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try row.select(key)
    return try row.readAny(type)
  }

  @inline(__always)
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try row.select(key)
    let cell = row.cell
    return cell.isNull ? nil : try row.flag(cell)
  }

  @inline(__always)
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try row.select(key)
    let cell = row.cell
    return cell.isNull ? nil : try row.text(cell)
  }

  @inline(__always)
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try row.select(key)
    let cell = row.cell
    return cell.isNull ? nil : try row.double(cell)
  }

  @inline(__always)
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try row.select(key)
    let cell = row.cell
    return cell.isNull ? nil : try row.exactly(cell)
  }

  @inline(__always)
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try row.select(key)
    let cell = row.cell
    return cell.isNull ? nil : try row.integer(cell)
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

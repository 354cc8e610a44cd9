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

/// A decoder of one member of a model that decodes itself from a single value.
///
/// A member may keep its decoder, which keeps the decoder of the row.
struct MemberDecoder: Decoder, SingleValueDecodingContainer {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw nested }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw nested }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private var nested: ModelError {
    let type = row.layout.columns[row.current].type.rawValue
    return row.undecodable("it is a nested value, and the column's type is \(type); list the column as json")
  }

  func decodeNil() -> Bool { row.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try row.flag(row.cell) }
  func decode(_ type: String.Type) throws -> String { try row.text(row.cell) }
  func decode(_ type: Double.Type) throws -> Double { try row.double(row.cell) }
  func decode(_ type: Float.Type) throws -> Float { try row.float(row.cell) }
  func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number { try row.exactly(row.cell) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try row.readAny(type) }
}

/// The keyed container of a decoder or an encoder, which is created once and reused for every row.
///
/// Creating one needs an allocation, and several lookups of generic types by the runtime.
struct KeptContainer {
  private final class Holder<Container> {
    let container: Container

    init(_ container: Container) {
      self.container = container
    }
  }

  private var key: ObjectIdentifier?
  private var holder: AnyObject?

  /// Returns the container for a type of keys, which has one type of containers.
  @inline(__always)
  mutating func container<Key: CodingKey, Container>(_ type: Key.Type, _ make: () -> Container) -> Container {
    // Sound: it was created for exactly this type of keys.
    if let holder, key == ObjectIdentifier(type) { return unsafeDowncast(holder, to: Holder<Container>.self).container }
    let container = make()
    key = ObjectIdentifier(type)
    holder = Holder(container)
    return container
  }
}

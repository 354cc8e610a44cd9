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

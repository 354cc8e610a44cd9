/// A decoder of one member of a model that decodes itself from a single value.
final class MemberDecoder: Decoder {
  /// The decoder of the row, which owns this one until it ends.
  ///
  /// A member may keep its decoder, which then keeps the row's.
  let row: RowDecoder
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(row: RowDecoder) {
    self.row = row
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw nested }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw nested }

  func singleValueContainer() -> any SingleValueDecodingContainer { MemberDecodingContainer(row: row) }

  private var nested: ModelError {
    let type = row.layout.columns[row.current].type.rawValue
    return row.undecodable("it is a nested value, and the column's type is \(type); list the column as json")
  }
}

/// The single value of a member.
private struct MemberDecodingContainer: SingleValueDecodingContainer {
  let row: RowDecoder

  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { row.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try row.flag(row.cell) }
  func decode(_ type: String.Type) throws -> String { try row.text(row.cell) }
  func decode(_ type: Double.Type) throws -> Double { try row.double(row.cell) }
  func decode(_ type: Float.Type) throws -> Float { try row.float(row.cell) }
  func decode(_ type: Int.Type) throws -> Int { try row.exactly(row.cell) }
  func decode(_ type: Int64.Type) throws -> Int64 { try row.integer(row.cell) }
  func decode(_ type: Int8.Type) throws -> Int8 { try row.exactly(row.cell) }
  func decode(_ type: Int16.Type) throws -> Int16 { try row.exactly(row.cell) }
  func decode(_ type: Int32.Type) throws -> Int32 { try row.exactly(row.cell) }
  func decode(_ type: UInt.Type) throws -> UInt { try row.exactly(row.cell) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try row.exactly(row.cell) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try row.exactly(row.cell) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try row.exactly(row.cell) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try row.exactly(row.cell) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try row.readAny(type) }
}

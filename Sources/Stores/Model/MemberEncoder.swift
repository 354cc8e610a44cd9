/// An encoder of one member of a model that encodes itself as a single value.
final class MemberEncoder: Encoder {
  /// The encoder of the row, which owns this one until it ends.
  ///
  /// A member may keep its encoder, which then keeps the row's.
  let row: RowEncoder
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(row: RowEncoder) {
    self.row = row
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeys<Key>(error: row.noteRefusal(nested)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { row.refuse(nested) }

  func singleValueContainer() -> any SingleValueEncodingContainer { MemberEncodingContainer(row: row) }

  private var nested: String {
    "it is a nested value, and the column's type is \(row.layout.columns[row.current].type.rawValue); list the column as json"
  }
}

/// The single value of a member.
private struct MemberEncodingContainer: SingleValueEncodingContainer {
  let row: RowEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil() { row.writeNull() }

  func encode(_ value: Bool) { row.write(value) }
  func encode(_ value: String) { row.write(value) }
  func encode(_ value: Double) throws { try row.write(value) }
  func encode(_ value: Float) throws { try row.write(value) }
  func encode(_ value: Int) throws { try row.write(value) }
  func encode(_ value: Int64) throws { try row.write(value) }
  func encode(_ value: Int8) throws { try row.write(value) }
  func encode(_ value: Int16) throws { try row.write(value) }
  func encode(_ value: Int32) throws { try row.write(value) }
  func encode(_ value: UInt) throws { try row.write(value) }
  func encode(_ value: UInt8) throws { try row.write(value) }
  func encode(_ value: UInt16) throws { try row.write(value) }
  func encode(_ value: UInt32) throws { try row.write(value) }
  func encode(_ value: UInt64) throws { try row.write(value) }
  func encode<Value: Encodable>(_ value: Value) throws { try row.writeAny(value) }
}

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

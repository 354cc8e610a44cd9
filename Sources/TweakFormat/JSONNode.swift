/// A value in a JSON text, and where it stands.
package struct JSONNode: Sendable {
  /// What a value can be; integers are told from other numbers by how they are written.
  package indirect enum Content: Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
  }

  package let content: Content

  /// The index of its first byte.
  package let offset: Int

  /// What it is, in words.
  package var kind: String {
    switch content {
    case .null: "null"
    case .bool: "a Bool"
    case .int: "an Int"
    case .double: "a Double"
    case .string: "a String"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A name and a value in an object.
package struct JSONMember: Sendable {
  package let name: String

  /// The index of the first byte of the name, which is a quotation mark.
  package let offset: Int

  package let value: JSONNode
}

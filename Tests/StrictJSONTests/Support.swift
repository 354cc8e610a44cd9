import StrictJSON

/// The value of a text.
func node(_ text: String, trailingCommas: JSONReader.TrailingCommas = .refused) throws(TextProblem) -> JSONNode {
  try JSONReader.read(Array(text.utf8), trailingCommas: trailingCommas)
}

extension JSONNode: CustomStringConvertible {
  /// The value as JSON without white space.
  public var description: String {
    switch content {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): String(decoding: JSONText.quoted(value), as: UTF8.self)
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
    case .object(let members):
      "{"
        + members.map { "\(String(decoding: JSONText.quoted($0.name), as: UTF8.self)):\($0.value)" }
        .joined(separator: ",") + "}"
    }
  }
}

extension JSONNode {
  /// A Boolean value that indicates whether the value is an object or an array.
  package var isStructure: Bool {
    switch content {
    case .array, .object: true
    default: false
    }
  }

  /// Returns the value as JSON without white space, with the members of objects sorted by name.
  ///
  /// Texts of equal values are equal, whatever the order of their members.
  ///
  /// - Parameter depth: The maximum number of nested objects and arrays.
  /// - Returns: The text, or `nil` if values are nested more deeply.
  package func canonicalText(depth: Int) -> String? {
    switch content {
    case .null: return "null"
    case .bool(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .string(let value): return String(decoding: JSONText.quoted(value), as: UTF8.self)
    case .array(let elements):
      guard depth > 0 else { return nil }
      var texts: [String] = []
      for element in elements {
        guard let text = element.canonicalText(depth: depth - 1) else { return nil }
        texts.append(text)
      }
      return "[" + texts.joined(separator: ",") + "]"
    case .object(let members):
      guard depth > 0 else { return nil }
      var texts: [String] = []
      for member in members.sorted(by: { $0.name < $1.name }) {
        guard let text = member.value.canonicalText(depth: depth - 1) else { return nil }
        texts.append(String(decoding: JSONText.quoted(member.name), as: UTF8.self) + ":" + text)
      }
      return "{" + texts.joined(separator: ",") + "}"
    }
  }
}

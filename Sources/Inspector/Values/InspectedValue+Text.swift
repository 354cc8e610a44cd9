import StrictJSON

extension InspectedValue {
  /// The value as JSON on one line, with sorted names.
  var text: String {
    var text = ""
    append(to: &text, indentation: nil)
    return text
  }

  /// The value as the files of a group store it: indented by two spaces, with sorted names and a line break at the end.
  public var fileText: String {
    var text = ""
    append(to: &text, indentation: 0)
    return text + "\n"
  }

  private func append(to text: inout String, indentation: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .number(let value): text += "\(value)"
    case .longNumber(let value): text += value
    case .string(let value): text += Self.quoted(value)
    case .array(let elements):
      Self.write(elements, "[", "]", to: &text, indentation) { element, text, inner in
        element.append(to: &text, indentation: inner)
      }
    case .object(let members):
      Self.write(members.sorted { $0.key < $1.key }, "{", "}", to: &text, indentation) { member, text, inner in
        text += Self.quoted(member.key) + (inner == nil ? ": " : " : ")
        member.value.append(to: &text, indentation: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ start: String, _ end: String, to text: inout String, _ indentation: Int?,
    _ body: (Element, inout String, Int?) -> Void
  ) {
    text += start
    let inner = indentation.map { $0 + 1 }
    for (index, element) in elements.enumerated() {
      if index > 0 { text += inner == nil ? ", " : "," }
      if let inner { text += "\n" + String(repeating: "  ", count: inner) }
      body(element, &text, inner)
    }
    if let indentation, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indentation) }
    text += end
  }

  private static func quoted(_ text: String) -> String { String(decoding: JSONText.quoted(text), as: UTF8.self) }

  /// The number of bytes of the value as JSON.
  var size: Int { text.utf8.count }

  /// Returns a Boolean value that indicates whether the value has more bytes of JSON than a limit.
  ///
  /// - Complexity: O(*n*) in the limit, not in the size of the value.
  func isLarger(than limit: Int) -> Bool {
    var rest = limit
    consume(&rest)
    return rest < 0
  }

  /// Subtracts the number of bytes, and stops below zero.
  private func consume(_ rest: inout Int) {
    guard rest >= 0 else { return }
    switch self {
    case .array(let elements):
      rest -= 2 * max(1, elements.count)
      for element in elements where rest >= 0 { element.consume(&rest) }
    case .object(let members):
      rest -= 2 * max(1, members.count)
      for (name, value) in members where rest >= 0 {
        rest -= name.utf8.count + 4
        value.consume(&rest)
      }
    default: rest -= size
    }
  }
}

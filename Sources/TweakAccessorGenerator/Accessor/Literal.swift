import TweakFormat

/// Swift literals for values and texts.
enum Literal {
  static func value(_ value: TweakDocument.Value) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): string(value)
    }
  }

  static func string(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: Identifier.isPrintable(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return "\"\(escaped.joined())\""
  }

  /// Returns a text as one line, for a comment.
  static func line(_ text: String) -> String {
    text.unicodeScalars.split { !Identifier.isPrintable($0) || $0 == " " }.map { String($0) }.joined(separator: " ")
  }
}

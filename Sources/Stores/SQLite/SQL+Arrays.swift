import Foundation

extension SQL {
  /// The number of values from which an array is faster than parameters.
  private static let leastArrayCount = 9

  /// Returns values as a JSON array, or `nil` if there are few of them or JSON does not preserve them exactly.
  static func array(of values: [SQLiteValue]) -> String? {
    guard values.count >= leastArrayCount else { return nil }
    var text = "["
    for value in values {
      switch value {
      case .integer(let number): text += "\(number),"
      // SQLite ends a text of JSON at NUL.
      case .text(let string) where !string.utf8.contains(0): text += "\(quoted(string)),"
      default: return nil
      }
    }
    text.removeLast()
    return text + "]"
  }

  /// Returns a text as a JSON string.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..<"\u{20}": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// A writer of JSON fragments.
package enum JSONText {
  /// Returns a string in quotation marks.
  ///
  /// Only quotation marks, backslashes and control characters are escaped.
  package static func quoted(_ string: String) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(string.utf8.count + 2)
    append(quoted: string, to: &text)
    return text
  }

  /// Returns whether no character of a string needs an escape.
  package static func isPlain(_ string: String) -> Bool {
    string.utf8.allSatisfy(isPlain)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= JSONByte.space && byte != JSONByte.quote && byte != JSONByte.backslash
  }

  /// Appends a string in quotation marks; see ``quoted(_:)``.
  package static func append(quoted string: String, to text: inout [UInt8]) {
    text.append(JSONByte.quote)
    defer { text.append(JSONByte.quote) }
    var plain = string
    let isDone = plain.withUTF8 { bytes in
      guard bytes.allSatisfy(isPlain) else { return false }
      text.append(contentsOf: bytes)
      return true
    }
    if isDone { return }
    for byte in string.utf8 {
      if byte == JSONByte.quote || byte == JSONByte.backslash {
        text.append(JSONByte.backslash)
        text.append(byte)
      } else if byte >= JSONByte.space {
        text.append(byte)
      } else {
        text += escape(of: byte).utf8
      }
    }
  }

  private static func escape(of control: UInt8) -> String {
    switch control {
    case JSONByte.lineFeed: return "\\n"
    case JSONByte.carriageReturn: return "\\r"
    case JSONByte.tab: return "\\t"
    default:
      let digits = String(control, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

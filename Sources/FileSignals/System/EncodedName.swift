/// Names for files that stand for any text.
///
/// Small letters, digits, `-` and `_` stand for themselves, and every other byte is `%` and two digits; capitals too,
/// since some file systems take `Ada` and `ada` for the same. So no name leads elsewhere, and no two texts have the
/// same.
package enum EncodedName {
  /// A text as a name, of whatever length.
  package static func encoded(_ text: String) -> String {
    var name = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "%" + digits(of: byte)
      }
    }
    return name
  }

  /// A text as a name of limited length: one that would be long is its beginning, a dot, and the text's digest.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The largest number of bytes, at least 125.
  /// - Returns: The name.
  package static func encoded(_ text: String, limit: Int) -> String {
    let name = encoded(text)
    if name.utf8.count <= limit { return name }
    return name.prefix(60) + "." + SHA256.digest(Array(text.utf8)).map(digits(of:)).joined()
  }

  /// A byte as two digits.
  private static func digits(of byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }

  /// The text that ``encoded(_:)`` has made a name of; `nil` if it has not.
  package static func decoded(_ name: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Substring(name)
    while let first = rest.utf8.first {
      rest = rest.dropFirst()
      if first != UInt8(ascii: "%") {
        bytes.append(first)
      } else if let byte = UInt8(rest.prefix(2), radix: 16) {
        bytes.append(byte)
        rest = rest.dropFirst(2)
      } else {
        return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

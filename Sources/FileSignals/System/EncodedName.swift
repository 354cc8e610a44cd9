/// Encoding of any text as a file name.
///
/// Lowercase letters, digits, `-` and `_` are kept. Every other byte becomes `%` and two hexadecimal digits. This
/// includes capital letters, since some file systems do not distinguish `Ada` and `ada`. An encoded name therefore
/// never contains a path separator, and different texts have different names.
package enum EncodedName {
  /// Returns a text as a name of any length.
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

  /// Returns a text as a name of limited length.
  ///
  /// A long name is shortened to its beginning, a dot, and the text's digest.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The maximum number of bytes, at least 125.
  /// - Returns: The name.
  package static func encoded(_ text: String, limit: Int) -> String {
    let name = encoded(text)
    if name.utf8.count <= limit { return name }
    return name.prefix(60) + "." + SHA256.digest(Array(text.utf8)).map(digits(of:)).joined()
  }

  /// Returns a byte as two hexadecimal digits.
  private static func digits(of byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }

  /// Returns the text that ``encoded(_:)`` encoded, or `nil` if the name is not the result of that function.
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

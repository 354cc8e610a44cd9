/// Names for directories of users, whose identities may be any text.
///
/// Small letters, digits, `-` and `_` stand for themselves, and every other byte is `%` and two digits; capitals too,
/// since some file systems take `Ada` and `ada` for the same. An identity whose name would be long has its beginning, a
/// dot, and its digest instead. So no name leads elsewhere, none is too long, and no two identities have the same.
enum UserDirectory {
  /// How long a name may be, so that something can be appended.
  static let longestName = 150

  /// The name of a directory for a user.
  static func name(for id: String) -> String {
    // No byte is encoded like that.
    if id.isEmpty { return "%" }
    let name = encoded(id)
    if name.utf8.count <= longestName { return name }
    return name.prefix(60) + "." + SHA256.digest(Array(id.utf8)).map(digits(of:)).joined()
  }

  /// A text as a name, of whatever length.
  static func encoded(_ text: String) -> String {
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

  /// A byte as two digits.
  private static func digits(of byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }

  /// The text that ``encoded(_:)`` has made a name of; `nil` if it has not.
  static func decoded(_ name: String) -> String? {
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

import Foundation

/// Names for directories of users, whose identities may be any text.
///
/// Small letters, digits, `-` and `_` stand for themselves, and every other byte is `%` and two digits; capitals too,
/// since some file systems take `Ada` and `ada` for the same. An identity whose name would be long has its beginning, a
/// dot, and its digest instead. So no name leads elsewhere, none is too long, and no two identities have the same.
///
/// Two texts that Unicode declares equivalent are one identity, so the name is that of the composed form (NFC).
enum UserDirectory {
  /// The name of the directory of the context without a user, which no user has.
  static let nobody = "__standard__"

  /// How long a name may be, so that something can be appended.
  static let longestName = 150

  /// The name of a directory for a user.
  static func name(for id: String) -> String {
    exactName(for: id.precomposedStringWithCanonicalMapping)
  }

  /// A Boolean value that indicates whether a directory could have been named after a form of an identity, before all
  /// were named after the composed form.
  static func isName(_ name: String, for id: String) -> Bool {
    // Swift compares texts by Unicode's equivalence. The text of a digest is not known, so the usual forms are tried.
    if let text = decoded(name), text == id { return name == exactName(for: text) }
    return [id, id.decomposedStringWithCanonicalMapping].contains { exactName(for: $0) == name }
  }

  /// The name of a directory for the bytes of an identity.
  private static func exactName(for id: String) -> String {
    // No byte is encoded like the first, and no underscore like the second.
    if id.isEmpty { return "%" }
    if id == nobody { return "%5f_standard__" }
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

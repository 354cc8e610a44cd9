import FileSignals
import Foundation

/// Names for directories of users, whose identities may be any text.
///
/// They are those of ``EncodedName``, so that no name leads elsewhere, none is too long, and no two identities have the
/// same.
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
    if let text = EncodedName.decoded(name), text == id { return name == exactName(for: text) }
    return [id, id.decomposedStringWithCanonicalMapping].contains { exactName(for: $0) == name }
  }

  /// The name of a directory for the bytes of an identity.
  private static func exactName(for id: String) -> String {
    // No byte is encoded like the first, and no underscore like the second.
    if id.isEmpty { return "%" }
    if id == nobody { return "%5f_standard__" }
    return EncodedName.encoded(id, limit: longestName)
  }
}

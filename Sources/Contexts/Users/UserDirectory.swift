import FileSignals
import Foundation

/// The names of users' directories, for identities that may be any string.
///
/// ``EncodedName`` makes the names: no name leads out of the directory, none is too long, and no two identities share a
/// name. Two strings that Unicode declares equivalent are one identity, so the composed form (NFC) is encoded.
enum UserDirectory {
  /// The name of the directory of the context without a user.
  ///
  /// No user's directory has this name.
  static let noUser = "__standard__"

  /// The maximum length of a name, which leaves room for a suffix.
  static let longestName = 150

  /// Returns the name of a user's directory.
  static func name(for id: String) -> String {
    exactName(for: id.precomposedStringWithCanonicalMapping)
  }

  /// Returns whether a directory may be named after any form of an identity, as earlier versions did.
  static func isName(_ name: String, for id: String) -> Bool {
    // Swift compares texts by Unicode equivalence. The text behind a digest is unknown, so the usual forms are tried.
    if let text = EncodedName.decoded(name), text == id { return name == exactName(for: text) }
    return [id, id.decomposedStringWithCanonicalMapping].contains { exactName(for: $0) == name }
  }

  /// Returns the name of a directory for the exact bytes of an identity.
  private static func exactName(for id: String) -> String {
    // No encoded byte looks like the first name, and an encoded underscore never looks like the second.
    if id.isEmpty { return "%" }
    if id == noUser { return "%5f_standard__" }
    return EncodedName.encoded(id, limit: longestName)
  }
}

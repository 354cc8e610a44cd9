import FileSignals

/// Validates names from outside the package that are to become a component of a path.
///
/// A name is refused if it could lead to another directory, hide the file, or collide with the package's own files. It
/// is never repaired, because two names that are repaired into one would share a file.
package enum PathComponent {
  /// The maximum number of bytes of a file name.
  package static let maximumLength = 255

  /// The maximum number of bytes of a name that a user chooses for a file, so that its lock and temporary file have
  /// valid names.
  package static let maximumFileLength = 200

  /// Returns the problem with a name, which may have `limit` bytes of UTF-8, or `nil` if it is valid.
  package static func problem(with name: String, limit: Int = maximumLength) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.count > limit { return "its \(name.utf8.count) bytes exceed the limit of \(limit)" }
    if name.begins(with: ".") { return "it begins with a dot, like the names of hidden files and \"..\"" }
    for scalar in name.unicodeScalars {
      switch scalar {
      case "/": return "it contains \"/\", which would lead to another directory"
      case "\0": return "it contains a NUL character, where the system would truncate it"
      case _ where scalar.properties.generalCategory == .control: return "it contains a control character"
      default: continue
      }
    }
    return nil
  }
}

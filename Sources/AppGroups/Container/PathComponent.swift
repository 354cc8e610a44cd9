/// Judges names that came from outside and are about to become one component of a path.
///
/// Names are data: whatever could lead to another directory, hide the file, or collide with the package's own files is
/// refused, never repaired, because two names that are repaired into one would share a file.
package enum PathComponent {
  /// How many bytes a file system takes for one name.
  package static let maximumLength = 255

  /// How many bytes a name that a user chooses for a file may have, so that those of its lock and temporary file fit
  /// too.
  package static let maximumFileLength = 200

  /// What is wrong with a name, which may have `limit` bytes of UTF-8, or `nil` if it may be used.
  package static func problem(with name: String, limit: Int = maximumLength) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.count > limit { return "it is \(name.utf8.count) bytes long, and \(limit) is the most" }
    if name.hasPrefix(".") { return "it begins with a dot, as names of hidden files and \"..\" do" }
    for scalar in name.unicodeScalars {
      switch scalar {
      case "/": return "it contains \"/\", which would lead to another directory"
      case "\0": return "it contains a NUL character, at which the system would cut it"
      case _ where scalar.properties.generalCategory == .control: return "it contains a control character"
      default: continue
      }
    }
    return nil
  }
}

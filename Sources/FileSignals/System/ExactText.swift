/// Searches in text from outside the program, byte by byte, as file systems and protocols do.
///
/// Swift compares characters. A combining mark after a separator makes both one other character, which would hide the
/// separator, and different names that are canonically equivalent would count as the same.
extension StringProtocol {
  /// Returns a Boolean value that indicates whether the text begins with the bytes of another one.
  package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  /// Returns a Boolean value that indicates whether the text ends with the bytes of another one.
  package func ends(with suffix: String) -> Bool { utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

  /// Returns the text without a beginning, or `nil` if it has another one.
  package func without(beginning: String) -> String? {
    begins(with: beginning) ? String(decoding: utf8.dropFirst(beginning.utf8.count), as: UTF8.self) : nil
  }

  /// Returns the text without an ending in ASCII, or `nil` if it has another one.
  package func without(ending: String) -> String? {
    ends(with: ending) ? String(decoding: utf8.dropLast(ending.utf8.count), as: UTF8.self) : nil
  }

  /// Returns a Boolean value that indicates whether the text contains a scalar, also as a part of a character.
  package func holds(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }

  /// Returns the parts of the text between the occurrences of a scalar, also where that is a part of a character.
  package func parts(separatedBy scalar: Unicode.Scalar, omittingEmpty: Bool = false) -> [String] {
    unicodeScalars.split(separator: scalar, omittingEmptySubsequences: omittingEmpty).map { part in
      var scalars = String.UnicodeScalarView()
      scalars.append(contentsOf: part)
      return String(scalars)
    }
  }

  /// Returns a Boolean value that indicates whether a path is below a directory.
  package func isPath(below directory: String) -> Bool {
    begins(with: directory.ends(with: "/") ? directory : directory + "/")
  }
}

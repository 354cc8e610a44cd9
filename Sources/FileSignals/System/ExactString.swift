import CLibrary

/// A string that is compared byte by byte, as file systems and other programs do.
///
/// Swift treats canonically equivalent strings as equal, but elsewhere they are different names.
package struct ExactString: Hashable, Comparable, Sendable {
  package let text: String

  @inlinable
  package init(_ text: String) {
    self.text = text
  }

  @inlinable @inline(__always)
  package static func == (first: ExactString, second: ExactString) -> Bool {
    let (first, second) = (first.text.utf8, second.text.utf8)
    let isSame = first.withContiguousStorageIfAvailable { first in
      second.withContiguousStorageIfAvailable { second in
        first.count == second.count && (first.baseAddress == second.baseAddress || Self.areEqual(first, second))
      }
    }
    return (isSame ?? nil) ?? first.elementsEqual(second)
  }

  /// Returns a Boolean value that indicates whether two buffers of the same size have the same bytes.
  @usableFromInline
  static func areEqual(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = first.baseAddress, let other = second.baseAddress else { return true }
    return memcmp(start, other, first.count) == 0
  }

  package static func < (first: ExactString, second: ExactString) -> Bool {
    // Several times as fast as the order of two sequences, which matters for sorting.
    var (first, second) = (first.text, second.text)
    return first.withUTF8 { first in
      second.withUTF8 { second in
        let count = min(first.count, second.count)
        guard count > 0, let start = first.baseAddress, let other = second.baseAddress else {
          return second.count > count
        }
        let order = memcmp(start, other, count)
        return order == 0 ? first.count < second.count : order < 0
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    // Canonically equivalent strings have equal hashes, which is harmless because they rarely occur together.
    hasher.combine(text)
  }
}

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

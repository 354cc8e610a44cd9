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
    first.text == second.text
      ? first.text.utf8.lexicographicallyPrecedes(second.text.utf8) : first.text < second.text
  }

  package func hash(into hasher: inout Hasher) {
    // Canonically equivalent strings have equal hashes, which is harmless because they rarely occur together.
    hasher.combine(text)
  }
}

/// A text that is compared byte by byte, as file systems and other programs do.
///
/// Strings that look alike but are composed differently are equal in Swift; elsewhere they are two names.
package struct ExactString: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (first: ExactString, second: ExactString) -> Bool {
    // What has the same bytes is equal to Swift, too, which knows quickly; hardly ever is it the other way round.
    first.text == second.text && first.text.utf8.elementsEqual(second.text.utf8)
  }

  package static func < (first: ExactString, second: ExactString) -> Bool {
    first.text == second.text
      ? first.text.utf8.lexicographicallyPrecedes(second.text.utf8) : first.text < second.text
  }

  package func hash(into hasher: inout Hasher) {
    // Equal for texts that look alike, which are hardly ever together.
    hasher.combine(text)
  }
}

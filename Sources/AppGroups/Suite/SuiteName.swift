/// The name of an entry, compared byte by byte as other programs do.
///
/// Strings that look alike but are composed differently are equal in Swift; in a file they are two names.
struct SuiteName: Hashable, Comparable, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (first: SuiteName, second: SuiteName) -> Bool {
    // What has the same bytes is equal to Swift, too, which knows quickly; hardly ever is it the other way round.
    first.text == second.text && first.text.utf8.elementsEqual(second.text.utf8)
  }

  static func < (first: SuiteName, second: SuiteName) -> Bool {
    first.text == second.text
      ? first.text.utf8.lexicographicallyPrecedes(second.text.utf8) : first.text < second.text
  }

  func hash(into hasher: inout Hasher) {
    // Equal for names that look alike, which are hardly ever together.
    hasher.combine(text)
  }
}

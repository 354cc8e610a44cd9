/// The name of an entry, compared byte by byte as other programs do.
///
/// Strings that look alike but are composed differently are equal in Swift; in a file they are two names.
struct SuiteName: Hashable, Comparable, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (first: SuiteName, second: SuiteName) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  static func < (first: SuiteName, second: SuiteName) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    if isDone == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }
}

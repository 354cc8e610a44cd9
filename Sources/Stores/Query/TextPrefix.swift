extension String {
  /// The first string, by its bytes, that follows all strings with this prefix, or `nil` if there is none.
  var endOfTextsWithThisPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // Surrogates are not scalars.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      return String(String.UnicodeScalarView(scalars + [scalar]))
    }
    return nil
  }

  /// The text with the letters A to Z in lower case, as the collation `NOCASE` compares it.
  var inSmallASCIILetters: String {
    String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}

extension CollationName {
  /// A Boolean value that indicates whether the collation is ``nocase``, in any spelling.
  var isNocase: Bool { rawValue.uppercased() == CollationName.nocase.rawValue }
}

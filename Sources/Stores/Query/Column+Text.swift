extension Column where Value: StringProtocol {
  /// Returns a condition that the column matches a pattern.
  ///
  /// In the pattern, `%` matches any text, `_` matches one character, and `\` escapes these three characters. ASCII
  /// letters match regardless of case.
  public func like(_ pattern: String) -> Condition<Model> { Condition(.pattern(reference, pattern)) }

  /// Returns a condition that the column contains a string, compared character by character.
  public func contains(_ text: String) -> Condition<Model> { Condition(.part(reference, text)) }

  /// Returns a condition that the column begins with a string, compared character by character.
  ///
  /// An index of the column makes it fast.
  public func hasPrefix(_ prefix: String) -> Condition<Model> { Condition(.prefix(prefix, of: reference)) }
}

extension Column {
  /// Returns a condition that the column matches a pattern.
  ///
  /// In the pattern, `%` matches any text, `_` matches one character, and `\` escapes these three characters. ASCII
  /// letters match regardless of case. `nil` matches no pattern.
  public func like<Text: StringProtocol>(_ pattern: String) -> Condition<Model> where Value == Text? {
    Condition(.pattern(reference, pattern))
  }

  /// Returns a condition that the column contains a string, compared character by character.
  public func contains<Text: StringProtocol>(_ text: String) -> Condition<Model> where Value == Text? {
    Condition(.part(reference, text))
  }

  /// Returns a condition that the column begins with a string, compared character by character.
  ///
  /// An index of the column makes it fast.
  public func hasPrefix<Text: StringProtocol>(_ prefix: String) -> Condition<Model> where Value == Text? {
    Condition(.prefix(prefix, of: reference))
  }
}

extension ConditionForm {
  /// Returns the condition that a column begins with a string, as a range, for which SQLite uses an index.
  fileprivate static func prefix(_ prefix: String, of column: ColumnReference) -> ConditionForm {
    let start = ConditionForm.comparison(column, .greaterOrEqual, .text(prefix))
    guard let end = prefix.endOfTextsWithThisPrefix else { return start }
    return .all([start, .comparison(column, .less, .text(end))])
  }
}

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
}

extension Column where Value: SQLiteText {
  /// Returns a condition that the column matches a pattern.
  ///
  /// In the pattern, `%` matches any text, `_` matches one character, and `\` escapes these three characters. ASCII
  /// letters match regardless of case. `nil` matches no pattern.
  public func like(_ pattern: String) -> Condition<Model> { Condition(.pattern(reference, pattern)) }

  /// Returns a condition that the column contains a string, compared byte by byte.
  public func contains(_ text: String) -> Condition<Model> { Condition(.part(reference, text)) }

  /// Returns a condition that the column begins with a string, compared byte by byte, whatever collation it has.
  ///
  /// An index of the column makes it fast, unless the column has a collation of your own.
  public func hasPrefix(_ prefix: String) -> Condition<Model> { Condition(.prefix(reference, prefix)) }
}

/// A comparison of a column with a value.
public enum QueryComparison: String, Hashable, Sendable, CaseIterable {
  /// The column equals the value.
  case equal = "="
  /// The column differs from the value.
  case notEqual = "<>"
  /// The column is less than the value.
  case less = "<"
  /// The column is less than the value or equal to it.
  case lessOrEqual = "<="
  /// The column is greater than the value.
  case greater = ">"
  /// The column is greater than the value or equal to it.
  case greaterOrEqual = ">="
}

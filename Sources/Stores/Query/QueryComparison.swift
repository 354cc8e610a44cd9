/// How a column compares with a value.
public enum QueryComparison: String, Hashable, Sendable, CaseIterable {
  /// Is the same.
  case equal = "="
  /// Is not the same.
  case notEqual = "<>"
  /// Comes before.
  case less = "<"
  /// Comes before, or is the same.
  case lessOrEqual = "<="
  /// Comes after.
  case greater = ">"
  /// Comes after, or is the same.
  case greaterOrEqual = ">="
}

/// The direction in which a query is sorted.
public enum QueryDirection: Hashable, Sendable {
  /// The smallest value first; null is smaller than all values.
  case ascending
  /// The largest value first.
  case descending
}

/// A column to sort by.
struct QueryOrder: Hashable, Sendable {
  let column: ColumnReference
  let direction: QueryDirection
}

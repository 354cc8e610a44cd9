/// Which way a query is sorted.
public enum QueryDirection: Hashable, Sendable {
  /// The smallest first; null is smaller than all.
  case ascending
  /// The largest first.
  case descending
}

/// A column to sort by.
struct QueryOrder: Hashable, Sendable {
  let column: String
  let direction: QueryDirection
}

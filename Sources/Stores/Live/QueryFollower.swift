import Signals

/// The property of a query that is in use, kept while the query stays the same.
///
/// SwiftUI recreates a view for each redraw and keeps its follower, so the query is read once.
final class QueryFollower<Value: Sendable>: Sendable {
  private typealias Current = (query: LiveQuery<Value>, property: Property<Value>)

  private let current = Guarded<Current?>(nil)

  /// Returns the property of a query.
  ///
  /// - Parameters:
  ///   - query: The query, which is compared by identity. It is followed without a lock, because that reads.
  ///   - initial: The value before the first read.
  /// - Returns: The property that was created first for the query.
  func property(of query: LiveQuery<Value>, initial: Value) -> Property<Value> {
    if let property = current.withLock({ $0?.query === query ? $0?.property : nil }) { return property }
    let made: Current = (query, query.property(initial: initial))
    let (property, replaced) = current.withLock { current -> (Property<Value>, Current?) in
      if let current, current.query === query { return (current.property, made) }
      defer { current = made }
      return (made.property, current)
    }
    // The old property is released without the lock, because that ends the reads of the old query.
    withExtendedLifetime(replaced) {}
    return property
  }
}

import Signals

/// The property of a query that is in use, kept while the query stays the same.
///
/// SwiftUI recreates a view for each redraw and keeps its follower, so the query is read once.
final class QueryFollower<Value: Sendable>: Sendable {
  private struct Current {
    let query: any AnyObject & Sendable
    let property: Property<Value>
  }

  private let current = Guarded<Current?>(nil)

  /// Returns the property of a query.
  ///
  /// - Parameters:
  ///   - query: The query, which is compared by identity.
  ///   - make: A closure that begins to follow the query. It runs without a lock, because it reads.
  /// - Returns: The property that was created first for the query.
  func property(of query: any AnyObject & Sendable, _ make: () -> Property<Value>) -> Property<Value> {
    if let property = current.withLock({ $0?.query === query ? $0?.property : nil }) { return property }
    let made = Current(query: query, property: make())
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

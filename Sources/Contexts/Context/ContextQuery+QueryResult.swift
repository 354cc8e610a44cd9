#if canImport(SwiftUI)
  public import Stores

  extension QueryResult {
    /// Creates a wrapper for the value of a query in the database of the current context.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - initial: The value before the first read.
    public init(_ query: ContextQuery<Value>, initial: Value) {
      self.init(query) { query.property(initial: initial) }
    }
  }
#endif

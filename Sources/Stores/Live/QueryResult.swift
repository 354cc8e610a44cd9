#if canImport(SwiftUI)
  public import Signals
  public import SwiftUI

  /// A property wrapper for the value of a live query in a SwiftUI view.
  ///
  /// The view is redrawn after each change of the value. The query is read first when the body of the view reads the
  /// value, and is observed as long as the view exists.
  ///
  /// <!-- not compiled -->
  /// ```swift
  /// struct PeopleView: View {
  ///   @QueryResult private var people: [Person]
  ///
  ///   init(people: LiveQuery<[Person]>) {
  ///     _people = QueryResult(people, initial: [])
  ///   }
  ///
  ///   var body: some View {
  ///     List(people) { Text($0.name) }
  ///   }
  /// }
  /// ```
  ///
  /// The projection, such as `$people`, is the value as a ``/Signals/Property``, from which other values can be
  /// derived.
  ///
  /// Keep the query outside the view, for example in its model. If the view passes another query, that one is read and
  /// observed instead of the first. A query that is created for each redraw is therefore read for each redraw.
  @MainActor @propertyWrapper
  public struct QueryResult<Value: Sendable>: DynamicProperty {
    @State private var follower = QueryFollower<Value>()
    private let query: LiveQuery<Value>
    private let initial: Value

    /// Creates a wrapper for the value of a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - initial: The value before the first read.
    public init(_ query: LiveQuery<Value>, initial: Value) {
      (self.query, self.initial) = (query, initial)
    }

    /// The last value of the query, or the initial value before the first read.
    public var wrappedValue: Value { projectedValue.value }

    /// The value of the query as an observable property.
    public var projectedValue: Property<Value> { follower.property(of: query, initial: initial) }
  }
#endif

/// The properties of a model as columns, in the closures of a query.
///
/// `$0.age` is the column of the property `age`. ``Column`` describes the conditions that it can form.
@dynamicMemberLookup
public struct Columns<Model: StoreModel>: Sendable {
  // Other public members would hide properties of the model with the same name.

  @usableFromInline
  init() {}

  /// Returns the column of a property.
  @inlinable
  public subscript<Value>(dynamicMember keyPath: any KeyPath<Model, Value> & Sendable) -> Column<Model, Value> {
    Column(KeyPathColumns.reference(to: keyPath))
  }
}

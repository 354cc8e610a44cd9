/// A relation of a model to the row whose key it contains.
///
/// ``HasMany`` is the opposite direction, and has an example.
public struct BelongsTo<Child: StoreModel, Parent: StoreModel>: Sendable {
  let foreignKey: @Sendable (Child) -> Parent.ID?

  /// Creates a relation.
  ///
  /// - Parameter foreignKey: The property that has the parent's key.
  public init(_ foreignKey: any KeyPath<Child, Parent.ID> & Sendable) {
    self.foreignKey = { $0[keyPath: foreignKey] }
  }

  /// Creates a relation to a parent that need not exist.
  ///
  /// - Parameter foreignKey: The property that has the parent's key, or `nil`.
  public init(_ foreignKey: any KeyPath<Child, Parent.ID?> & Sendable) {
    self.foreignKey = { $0[keyPath: foreignKey] }
  }
}

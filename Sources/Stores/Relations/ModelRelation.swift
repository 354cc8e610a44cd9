/// A relation between two models: ``HasMany`` or ``BelongsTo``.
///
/// Your own types do not conform.
public protocol ModelRelation: Sendable {
  /// Throws an error if a property that the relation names is not a column, or if one of its models is invalid.
  func check() throws(ModelError)
}

extension HasMany: ModelRelation {
  /// Throws an error if a property that the relation names is not a column, or if one of its models is invalid.
  public func check() throws(ModelError) {
    _ = try ModelLayout.of(Parent.self)
    // This names the columns of the key, of the conditions and of the order.
    _ = try children(of: [.null]).compiled(in: ModelLayout.of(Child.self))
  }
}

extension BelongsTo: ModelRelation {
  /// Throws an error if one of the models is invalid.
  public func check() throws(ModelError) {
    _ = try ModelLayout.of(Parent.self)
    _ = try ModelLayout.of(Child.self)
  }
}

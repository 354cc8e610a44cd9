extension ReadTransaction {
  /// Returns the children of some rows, in one statement.
  ///
  /// - Parameters:
  ///   - relation: The relation.
  ///   - parents: The rows.
  /// - Returns: The children of each row by its key, in the order of the relation. A row without children has an empty
  ///   array.
  /// - Throws: ``DatabaseError``.
  public func all<Parent: StoreModel, Child: StoreModel>(
    _ relation: HasMany<Parent, Child>, of parents: some Sequence<Parent>
  ) throws(DatabaseError) -> [Parent.ID: [Child]] {
    let connection = try connection
    var children: [Parent.ID: [Child]] = [:]
    var keys: Set<SQLiteValue> = []
    for parent in parents {
      children[parent.id] = []
      keys.insert(parent.id.sqliteValue)
    }
    if keys.isEmpty { return children }
    let query = try connection.naming(relation.children(of: Array(keys)))
    var stored: [Parent.ID: Parent.ID] = [:]
    for child in try connection.all(query) {
      guard var key = relation.foreignKey(child) else { continue }
      if children[key] == nil {
        if stored[key] == nil { stored[key] = try equalRow(Parent.self, key)?.id ?? key }
        key = stored[key] ?? key
      }
      children[key, default: []].append(child)
    }
    return children
  }

  /// Returns the parents of some rows, in one statement.
  ///
  /// - Parameters:
  ///   - relation: The relation.
  ///   - children: The rows.
  /// - Returns: The parents by their keys. A key without a row is missing.
  /// - Throws: ``DatabaseError``.
  public func all<Child: StoreModel, Parent: StoreModel>(
    _ relation: BelongsTo<Child, Parent>, of children: some Sequence<Child>
  ) throws(DatabaseError) -> [Parent.ID: Parent] {
    let connection = try connection
    let foreignKeys = Set(children.compactMap(relation.foreignKey))
    let keys = Set(foreignKeys.map(\.sqliteValue))
    var parents: [Parent.ID: Parent] = [:]
    if keys.isEmpty { return parents }
    let layout = try connection.naming(ModelLayout.of(Parent.self))
    let condition = Condition<Parent>(.membership(.named(layout.spec.key), Array(keys)))
    for parent in try connection.all(Query().where(condition)) { parents[parent.id] = parent }
    for key in foreignKeys where parents[key] == nil { parents[key] = try equalRow(Parent.self, key) }
    return parents
  }

  /// Returns the row whose key equals a key by the collation of its column, if it has one.
  private func equalRow<Model: StoreModel>(_ model: Model.Type, _ key: Model.ID) throws(DatabaseError) -> Model? {
    let statements = try ModelStatements<Model>.of(connection)
    return statements.layout.spec.keyCollation == nil ? nil : try statements.find(key)
  }
}

extension TableSpec {
  /// Rejects indexes and constraints over columns that do not exist or do not fit.
  func checkConstraints(_ known: [TableColumn]) throws(ModelError) {
    for index in indexes + unique {
      if index.columns.isEmpty, index.expressions.isEmpty { throw refusal("\(index)", "an index has no columns") }
      for column in index.columns { _ = try find(column, in: known) }
      for text in index.expressions + [index.condition].compactMap(\.self) { try checkSQL(text) }
    }
    for key in foreignKeys { try check(key, known) }
    for text in checks { try checkSQL(text) }
    for (name, value) in defaults.sorted(by: { $0.key < $1.key }) {
      let type = try find(name, in: known).type
      guard type.canHold(value) else { throw refusal("\(name) \(value)", "a \(type.rawValue) column cannot hold it") }
    }
    for (name, collation) in collations.sorted(by: { $0.key < $1.key }) {
      guard try find(name, in: known).type == .text else {
        throw refusal("\(name) \(collation.rawValue)", "only text columns have a collation")
      }
    }
    guard let search else { return }
    if search.columns.isEmpty { throw refusal("\(search)", "a full-text index has no columns") }
    if Set(search.columns).count < search.columns.count { throw refusal("\(search)", "it has a column twice") }
    for name in search.columns {
      guard try find(name, in: known).type == .text else { throw refusal("\(search)", "\(name) is not a text column") }
      if name == key { throw refusal("\(search)", "it contains the key, which matching(_:) cannot search") }
      if ["rank", "rowid"].contains(name.lowercased()) {
        throw refusal("\(search)", "FTS5 reserves the name \(name)")
      }
    }
  }

  private func check(_ key: ForeignKey, _ known: [TableColumn]) throws(ModelError) {
    if key.columns.isEmpty { throw refusal("\(key)", "a foreign key has no columns") }
    if !key.referencedColumns.isEmpty, key.columns.count != key.referencedColumns.count {
      throw refusal("\(key)", "it has a different number of columns on both sides")
    }
    for name in key.columns where try !find(name, in: known).isOptional {
      if [key.onDelete, key.onUpdate].contains(.setNull) {
        throw refusal("\(key)", "the column \(name.debugDescription) is required, and cannot become null")
      }
      if [key.onDelete, key.onUpdate].contains(.setDefault), defaults[name] == nil {
        throw refusal("\(key)", "the column \(name.debugDescription) has no default value")
      }
    }
  }

  private func checkSQL(_ text: String) throws(ModelError) {
    if text.utf8.contains(0) { throw refusal(text, "it contains a NUL character") }
    if SQLTokens(text).tokens.isEmpty { throw refusal(text, "it contains no expression") }
  }

  private func find(_ name: String, in known: [TableColumn]) throws(ModelError) -> TableColumn {
    guard let column = known.first(where: { $0.name == name }) else {
      throw .unknownColumn(table: self.name, column: name, known: known.map(\.name))
    }
    return column
  }

  private func refusal(_ constraint: String, _ reason: String) -> ModelError {
    .invalidConstraint(table: name, constraint: constraint, reason: reason)
  }
}

extension ColumnType {
  /// Returns a Boolean value that indicates whether a value can be the default of a column of this type.
  fileprivate func canHold(_ value: SQLiteValue) -> Bool {
    switch (self, value) {
    case (_, .null), (.integer, .integer), (.real, .integer), (.blob, .blob): true
    case (.real, .real(let number)): number.isFinite
    case (.text, .text(let text)), (.json, .text(let text)): !text.utf8.contains(0)
    case (.decimal, .text(let text)): DecimalText.isNumber(text)
    default: false
    }
  }
}

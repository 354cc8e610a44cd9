/// The specification of a ``StoreModel``'s table: its name, key, indexes and constraints and, if they cannot be
/// inferred, its columns.
///
/// ```swift
/// import Stores
///
/// struct City: StoreModel {
///   static let table = TableSpec("city", collations: ["name": .nocase])
///   var id: Int
///   var name: String
/// }
///
/// struct Person: StoreModel {
///   static let table = TableSpec(
///     "person",
///     indexes: [TableIndex(["cityID"], where: "isActive")],
///     unique: [["cityID", "name"]],
///     foreignKeys: [ForeignKey("cityID", references: "city", onDelete: .cascade)],
///     checks: ["length(name) > 0"],
///     defaults: ["isActive": true])
///   var id: Int
///   var name: String
///   var cityID: Int
///   var isActive: Bool
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [City.self, Person.self]))
/// try database.write { transaction in
///   try transaction.put(City(id: 1, name: "Rome"))
///   try transaction.put(Person(id: 1, name: "Ada", cityID: 1, isActive: true))
///   try transaction.delete(City.self, id: 1)
///   print(try transaction.count(Person.self))  // Prints "0"
/// }
/// ```
///
/// SQLite checks every constraint, whatever statement changes a row. A change that violates one throws
/// ``DatabaseError/constraint(_:)``. Constraints that a table has beyond its specification also apply.
public struct TableSpec: Hashable, Sendable {
  /// The name of the table.
  public let name: String

  /// The column that identifies a row.
  public let key: String

  /// The columns, or `nil` if they are inferred from the model.
  package let columns: [TableColumn]?

  /// The indexes, in the order given.
  package let indexes: [TableIndex]

  /// The unique indexes.
  ///
  /// No two rows may have the same values in their columns.
  package let unique: [TableIndex]

  /// The references to rows of other tables.
  package let foreignKeys: [ForeignKey]

  /// The SQL expressions that must not be false for any row.
  package let checks: [String]

  /// The values of columns that an `INSERT` statement omits, by column.
  package let defaults: [String: SQLiteValue]

  /// The collations that compare and sort the text of columns, by column.
  package let collations: [String: CollationName]

  /// The full-text index, or `nil` if there is none.
  package let search: SearchIndex?

  /// Creates the specification of a table.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - key: The column that holds the model's `id`.
  ///   - columns: All columns, in the order in which the model encodes them, if they cannot be inferred; see
  ///     ``StoreModel``.
  ///   - indexes: The columns that are used for searching or sorting. `["age", ["city", "name"]]` creates two indexes,
  ///     the second over two columns. An index may also have a condition or expressions; see ``TableIndex``.
  ///   - unique: The columns, or groups of columns, in which no two rows may have the same values. They are indexes,
  ///     too.
  ///   - foreignKeys: The references to rows of other tables.
  ///   - checks: SQL expressions over the columns of a row. A row for which one is false cannot be written.
  ///   - defaults: The values of columns that your own `INSERT` statement omits. A model always writes all its columns.
  ///   - collations: The collations of text columns. Queries, indexes and unique constraints use them.
  ///   - search: The full-text index over text columns, with which ``StoreModel/matching(_:_:)`` finds rows.
  public init(
    _ name: String,
    key: String = "id",
    columns: [TableColumn]? = nil,
    indexes: [TableIndex] = [],
    unique: [TableIndex] = [],
    foreignKeys: [ForeignKey] = [],
    checks: [String] = [],
    defaults: [String: SQLiteValue] = [:],
    collations: [String: CollationName] = [:],
    search: SearchIndex? = nil
  ) {
    self.name = name
    self.key = key
    self.columns = columns
    self.indexes = indexes
    self.unique = unique
    self.foreignKeys = foreignKeys
    self.checks = checks
    self.defaults = defaults
    self.collations = collations
    self.search = search
  }
}

/// One column of a table.
public struct TableColumn: Hashable, Sendable {
  /// The name of the column, which is the coding key of the property.
  public let name: String

  /// The type of the values.
  public let type: ColumnType

  /// A Boolean value that indicates whether the column may be null, as for an optional property.
  public let isOptional: Bool

  /// Creates the description of a column.
  public init(_ name: String, _ type: ColumnType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }
}

extension TableColumn: CustomStringConvertible {
  /// The column definition in SQL.
  public var description: String { "\(name) \(type.sql)\(isOptional ? "" : " NOT NULL")" }
}

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

/// The name of a collation, which compares and sorts text.
public struct CollationName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name in SQL.
  public let rawValue: String

  /// Creates the name of a collation.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Creates the name of a collation.
  public init(stringLiteral name: String) {
    rawValue = name
  }

  /// The collation that compares the bytes of text, which is the default.
  public static let binary = CollationName(rawValue: "BINARY")

  /// The collation that treats capital and small ASCII letters as equal.
  public static let nocase = CollationName(rawValue: "NOCASE")

  /// The collation that ignores spaces at the end of text.
  public static let rtrim = CollationName(rawValue: "RTRIM")
}

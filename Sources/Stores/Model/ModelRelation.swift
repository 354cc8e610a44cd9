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

/// A relation of a model to the rows of another one that contain its key.
///
/// ```swift
/// import Stores
///
/// struct Author: StoreModel {
///   static let table = TableSpec("author")
///   static let books = HasMany<Author, Book>(\.authorID).ordered { $0.title }
///   static var relations: [any ModelRelation] { [books] }
///   var id: Int
///   var name: String
/// }
///
/// struct Book: StoreModel {
///   static let table = TableSpec("book", indexes: ["authorID"])
///   static let author = BelongsTo<Book, Author>(\.authorID)
///   var id: Int
///   var title: String
///   var authorID: Int
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Author.self, Book.self]))
/// try database.write { transaction in
///   try transaction.put([Author(id: 1, name: "Ada"), Author(id: 2, name: "Bob")])
///   try transaction.put([Book(id: 1, title: "Engines", authorID: 1), Book(id: 2, title: "Bees", authorID: 1)])
/// }
/// try database.read { transaction in
///   let authors = try transaction.all(Author.ordered { $0.name })
///   let books = try transaction.all(Author.books, of: authors)
///   for author in authors { print(author.name, books[author.id, default: []].map(\.title)) }
/// }
/// // Prints "Ada ["Bees", "Engines"]"
/// // Prints "Bob []"
/// ```
///
/// The children of all parents are read by one statement, however many there are. Read several levels one after
/// another, in one transaction: the children of the first relation are the parents of the next. Index the column with
/// the key.
///
/// The properties must be columns, as ``Column`` describes. If the model lists the relation in
/// ``StoreModel/relations``, they are checked when a database is opened, and otherwise when the relation is read.
public struct HasMany<Parent: StoreModel, Child: StoreModel>: Sendable {
  let column: ColumnReference
  let foreignKey: @Sendable (Child) -> Parent.ID?
  /// The children of all parents.
  private(set) var query = Query<Child>()
  private(set) var maximum: Int?

  /// Creates a relation.
  ///
  /// - Parameter foreignKey: The property of the children that has the parent's key.
  public init(_ foreignKey: any KeyPath<Child, Parent.ID> & Sendable) {
    column = KeyPathColumns.reference(to: foreignKey)
    self.foreignKey = { $0[keyPath: foreignKey] }
  }

  /// Creates a relation to children that need not have a parent.
  ///
  /// - Parameter foreignKey: The property of the children that has the parent's key, or `nil`.
  public init(_ foreignKey: any KeyPath<Child, Parent.ID?> & Sendable) {
    column = KeyPathColumns.reference(to: foreignKey)
    self.foreignKey = { $0[keyPath: foreignKey] }
  }

  /// Returns the relation restricted to children that satisfy a condition.
  public func `where`(@ConditionBuilder<Child> _ condition: (Columns<Child>) -> Condition<Child>) -> HasMany {
    copy(of: self) { $0.query = query.where(condition) }
  }

  /// Returns the relation with the children of each parent sorted by a property.
  ///
  /// Earlier sort columns take precedence.
  public func ordered<Value: SQLiteConvertible>(
    _ direction: QueryDirection = .ascending, _ column: (Columns<Child>) -> Column<Child, Value>
  ) -> HasMany {
    copy(of: self) { $0.query = query.ordered(direction, column) }
  }

  /// Returns the relation limited to the first children of each parent; a negative number counts as 0.
  public func limit(_ count: Int) -> HasMany {
    copy(of: self) { $0.maximum = max(0, count) }
  }

  /// Returns the query of the children of some parents.
  func children(of keys: [SQLiteValue]) throws(ModelError) -> Query<Child> {
    let children = query.where(Condition(.membership(column, keys)))
    guard let maximum else { return children }
    return try children.limited(to: maximum, per: column)
  }
}

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

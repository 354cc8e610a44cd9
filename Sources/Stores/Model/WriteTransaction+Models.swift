import Signals

extension WriteTransaction {
  /// Inserts a row, or updates the one with the same key.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Person: StoreModel {
  ///   static let table = TableSpec("person", unique: ["name"])
  ///   var id: Int
  ///   var name: String
  ///   var age: Int
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
  /// try database.write { transaction in
  ///   try transaction.put([Person(id: 1, name: "Ada", age: 36), Person(id: 2, name: "Bob", age: 17)])
  ///   try transaction.update(Person.self, id: 2) { $0.age += 1 }
  /// }
  /// print(try database.read { try $0.count(Person.where { $0.age >= 18 }) })  // Prints "2"
  /// ```
  ///
  /// No other row is ever replaced. If a different row has the same value in a unique column, the call throws
  /// ``DatabaseError/constraint(_:)``.
  ///
  /// - Parameter model: The row.
  /// - Throws: ``DatabaseError``. Nothing has then been written.
  public func put<Model: StoreModel>(_ model: Model) throws(DatabaseError) {
    try ModelStatements<Model>.of(connection).put(model)
  }

  /// Inserts rows, or updates the ones with the same keys, one after another.
  ///
  /// - Parameter models: The rows.
  /// - Throws: ``DatabaseError`` for the first row that cannot be written. The rows before it have been written.
  public func put<Model: StoreModel>(_ models: some Sequence<Model>) throws(DatabaseError) {
    let statements = try ModelStatements<Model>.of(connection)
    for model in models { try statements.put(model) }
  }

  /// Reads a row, changes it in a closure, and writes it back.
  ///
  /// If the closure changes the key, the row moves to the new key.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - id: The row's key.
  ///   - body: A closure that changes the row. It is not called if there is none.
  /// - Returns: The changed row, or `nil` if there is none.
  /// - Throws: The error that `body` throws, or ``DatabaseError``. Nothing has then been written.
  @discardableResult
  public func update<Model: StoreModel>(
    _ model: Model.Type, id: Model.ID, _ body: (inout Model) throws -> Void
  ) throws -> Model? {
    guard var row = try find(model, id: id) else { return nil }
    try body(&row)
    let connection = try connection
    let layout = try ModelStatements<Model>.of(connection).layout
    if try layout.isSameKey(id.sqliteValue, row.id.sqliteValue, on: connection) {
      try put(row)
    } else {
      try savepoint {
        try delete(model, id: id)
        try put(row)
      }
    }
    return row
  }

  /// Changes some properties of all rows of a query, in one statement.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Person: StoreModel {
  ///   static let table = TableSpec("person")
  ///   var id: Int
  ///   var age: Int
  ///   var isAdult = false
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
  /// try database.write { transaction in
  ///   try transaction.put([Person(id: 1, age: 36), Person(id: 2, age: 17), Person(id: 3, age: 18)])
  ///   let count = try transaction.updateAll(Person.where { $0.age >= 18 }) { $0.isAdult.set(to: true) }
  ///   print(count)  // Prints "2"
  /// }
  /// ```
  ///
  /// Live queries and changes report the rows as if each had been written by itself.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - assignments: A closure with one assignment per line.
  /// - Returns: The number of rows of the query.
  /// - Throws: ``DatabaseError``. Nothing has then been written.
  @discardableResult
  public func updateAll<Model: StoreModel>(
    _ query: Query<Model>, @AssignmentBuilder<Model> _ assignments: (Columns<Model>) -> [Assignment<Model>]
  ) throws(DatabaseError) -> Int {
    let assignments = assignments(Columns())
    let connection = try connection
    if assignments.isEmpty { return 0 }
    return try connection.change(Model.self) { layout throws(ModelError) in
      try query.compiledUpdate(assignments, in: layout)
    }
  }

  /// Deletes a row.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - id: The row's key.
  /// - Returns: `true` if the row existed.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func delete<Model: StoreModel>(_ model: Model.Type, id: Model.ID) throws(DatabaseError) -> Bool {
    let connection = try connection
    let statements = try ModelStatements<Model>.of(connection)
    let before = connection.totalChanges
    try statements.delete(id)
    return connection.totalChanges > before
  }

  /// Deletes the rows of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The number of deleted rows.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func deleteAll<Model: StoreModel>(_ query: Query<Model>) throws(DatabaseError) -> Int {
    try connection.change(Model.self, query.compiledDeletion)
  }

  /// Deletes all rows of a model's table.
  ///
  /// - Parameter model: The model.
  /// - Returns: The number of deleted rows.
  /// - Throws: ``DatabaseError``.
  @discardableResult
  public func deleteAll<Model: StoreModel>(_ model: Model.Type) throws(DatabaseError) -> Int {
    try deleteAll(Query<Model>())
  }

  /// Inserts a row, or updates the one with the same key, and returns it with its key.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Note: StoreModel {
  ///   static let table = TableSpec("note")
  ///   var id: Int64?
  ///   var text: String
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Note.self]))
  /// try database.write { transaction in
  ///   let saved = try transaction.put(Note(text: "Buy milk"))
  ///   print(saved.id ?? 0)  // Prints "1"
  /// }
  /// ```
  ///
  /// If the key is `nil`, a new row is inserted, and the database assigns a key that no row of the table has had before.
  ///
  /// - Parameter model: The row.
  /// - Returns: The row with its key.
  /// - Throws: ``DatabaseError``. Nothing has then been written.
  @discardableResult
  public func put<Model: StoreModel, Key: StoreKey>(_ model: Model) throws(DatabaseError) -> Model
  where Model.ID == Key? {
    try ModelStatements<Model>.of(connection).putReturning(model)
  }

  /// Inserts rows, or updates the ones with the same keys, one after another, and returns them with their keys.
  ///
  /// - Parameter models: The rows.
  /// - Returns: The rows with their keys, in the same order.
  /// - Throws: ``DatabaseError`` for the first row that cannot be written. The rows before it have been written.
  @discardableResult
  public func put<Model: StoreModel, Key: StoreKey>(_ models: some Sequence<Model>) throws(DatabaseError) -> [Model]
  where Model.ID == Key? {
    let statements = try ModelStatements<Model>.of(connection)
    var rows: [Model] = []
    for model in models { rows.append(try statements.putReturning(model)) }
    return rows
  }
}

extension WriteTransaction {
  /// Writes a row that was made from an earlier one, unless the row has changed or was deleted since then.
  ///
  /// Use it for a row that a person has edited for a while, where ``update(_:id:_:)`` cannot make the change again:
  ///
  /// ```swift
  /// import Signals
  /// import Stores
  ///
  /// struct Chore: StoreModel, Equatable {
  ///   static let table = TableSpec("chore")
  ///   var id: Int
  ///   var title: String
  ///   var isDone = false
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Chore.self]))
  /// let base = Chore(id: 1, title: "Buy milk")
  /// try database.write { try $0.put(base) }
  /// try database.write { transaction in try transaction.update(Chore.self, id: 1) { $0.isDone = true } }
  ///
  /// let mine = Chore(id: 1, title: "Buy oat milk")
  /// do {
  ///   try database.write { try $0.put(mine, basedOn: base) }
  /// } catch let conflict as WriteConflict<Chore> {
  ///   print(conflict.stored?.isDone ?? false)  // Prints "true"
  /// }
  /// let merged = try database.write { transaction in
  ///   try transaction.put(mine, basedOn: base) { base, mine, stored in
  ///     var merged = stored
  ///     if mine.title != base.title { merged.title = mine.title }
  ///     if mine.isDone != base.isDone { merged.isDone = mine.isDone }
  ///     return merged
  ///   }
  /// }
  /// print(merged.title, merged.isDone)  // Prints "Buy oat milk true"
  /// ```
  ///
  /// Rows count as changed if `==` says so. If the result has another key than `base`, the row moves to the new key.
  ///
  /// - Parameters:
  ///   - model: The new row.
  ///   - base: The row that the new one was made from, as it was read.
  ///   - merge: A closure that merges both changes if the row has changed; by default none. It receives the base, the
  ///     new row and the stored one.
  /// - Returns: The row that was written: the new one, or the result of `merge`.
  /// - Throws: ``/Signals/WriteConflict`` if the row was deleted, or if it has changed and there is no closure. The error
  ///   of the closure, or ``DatabaseError``. Nothing has then been written.
  @discardableResult
  public func put<Model: StoreModel & Equatable>(
    _ model: Model, basedOn base: Model,
    merging merge: ((_ base: Model, _ mine: Model, _ stored: Model) throws -> Model)? = nil
  ) throws -> Model {
    let written = try update(Model.self, id: base.id) { stored in
      stored = try WriteConflict.resolve(model, base, stored, merge)
    }
    guard let written else { throw WriteConflict<Model>(stored: nil) }
    return written
  }
}

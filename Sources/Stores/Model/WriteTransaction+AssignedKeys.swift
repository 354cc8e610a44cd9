extension WriteTransaction {
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

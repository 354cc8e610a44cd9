import Signals

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

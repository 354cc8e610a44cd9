extension Database {
  /// Changes the database, and overwrites what the change deletes and replaces: when this returns, neither the file nor
  /// its write-ahead log contains it.
  ///
  /// It takes longer than `write`. If another connection keeps reading the old content, that stays in the
  /// log until the next change or the last close.
  ///
  /// - Parameter body: Reads and writes, on this thread.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, or ``DatabaseError``; nothing has been changed then.
  @discardableResult
  package func writeErasing<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    let result = try write { transaction in
      // The setting belongs to the connection, which may be another one each time.
      try transaction.execute("PRAGMA secure_delete = ON")
      return try body(transaction)
    }
    emptyLog()
    return result
  }

  /// Copies the write-ahead log into the file, and empties it, unless another connection needs it.
  package func emptyLog() {
    do {
      _ = try writer.emptyLog()
    } catch {
      // The change is committed. A log that cannot be emptied now is emptied with the next change.
    }
  }
}

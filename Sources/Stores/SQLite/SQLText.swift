import CSQLite

/// An SQL text that is read statement by statement.
struct SQLText {
  private let characters: ContiguousArray<CChar>
  private var offset = 0

  init(_ sql: String) {
    characters = sql.utf8CString
  }

  /// Prepares the next statement.
  ///
  /// Returns `nil` if only white space and comments are left.
  mutating func next(on connection: SQLiteConnection) throws(DatabaseError) -> SQLiteStatement? {
    while offset < characters.count - 1 {
      guard let database = connection.handle else { throw .closed(path: connection.path) }
      connection.preparation = Preparation()
      var statement: OpaquePointer?
      let start = offset
      var consumed = 0
      let code = characters.withUnsafeBufferPointer { buffer in
        // Sound: the array ends with a zero, and the address is used only inside.
        guard let text = buffer.baseAddress.map({ $0 + start }) else { return SQLITE_OK }
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &tail)
        consumed = tail.map { $0 - text } ?? buffer.count - start - 1
        return code
      }
      offset += max(consumed, 1)
      // If a statement is invalid, SQLite does not report its end.
      let end = code == SQLITE_OK ? min(offset, characters.count - 1) : characters.count - 1
      let text = Self.trimmed(characters[start..<end])
      guard code == SQLITE_OK else {
        // Any change may make the statement valid.
        connection.tracking?.region.insertEverything()
        if connection.preparation.isForbidden { throw .transactionStatement(statement: text, path: connection.path) }
        throw DatabaseError(SQLiteFailure(code, handle: database, path: connection.path, statement: text))
      }
      guard let statement else { continue }
      let traits = connection.preparation.traits(of: text, on: connection)
      return SQLiteStatement(sql: text, handle: statement, connection: connection, traits: traits)
    }
    return nil
  }

  private static func trimmed(_ characters: ContiguousArray<CChar>.SubSequence) -> String {
    let isSpace = { (character: CChar) in character == 32 || (9...13).contains(character) }
    let tail = characters.drop(while: isSpace)
    let end = tail.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? tail.startIndex
    return String(decoding: tail[tail.startIndex..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

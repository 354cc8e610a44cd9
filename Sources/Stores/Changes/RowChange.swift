/// One change of a row.
struct RowChange {
  enum Operation: UInt8 {
    case insert, update, delete
    /// All rows may have changed, because it is unknown which ones did.
    case everything
  }

  /// The table's number in the ``ChangeLog``.
  let table: Int32
  let operation: Operation
  let key: SQLiteValue
}

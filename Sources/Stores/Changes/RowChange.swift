/// One thing that happened to a row.
struct RowChange {
  enum Operation: UInt8 {
    case insert, update, delete
    /// Nobody knows which rows: all may have changed.
    case everything
  }

  /// The table's number in the ``ChangeLog``.
  let table: Int32
  let operation: Operation
  let key: SQLiteValue
}

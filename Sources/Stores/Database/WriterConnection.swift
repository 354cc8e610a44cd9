import Signals

/// A writing connection, with the log that collects its changes.
struct WriterConnection {
  let connection: SQLiteConnection
  let log: ChangeLog

  init(_ connection: SQLiteConnection, version: Int?) throws(DatabaseError) {
    self.connection = connection
    log = ChangeLog(connection: connection)
    log.expectedVersion = version
    connection.changes = log
    try log.refresh()
  }

  /// The names of the tables, without the tables of this module.
  var tableNames: [String] { log.tables.tables.keys.filter { !TableCatalog.isOwn($0) } }

  /// Returns the state of the file as a connection sees it.
  static func state(
    of connection: SQLiteConnection, isShared: Bool
  ) throws(DatabaseError) -> ForeignWrites.FileState? {
    // A single statement returns both values of the same moment.
    let row = try connection.rows(isShared ? ShareTables.state : "SELECT data_version, NULL FROM pragma_data_version")
    guard let state = row.first else { return nil }
    return ForeignWrites.FileState(connection: ObjectIdentifier(connection), version: state[0], shared: state[1])
  }
}

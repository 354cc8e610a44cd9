/// The status of a database: open, or closed for a reason.
///
/// A database in a ``/AppGroups/Scope`` follows its switches. A switch waits for running transactions and closes the
/// file, and later transactions wait. Then the file at the path is opened, and created or migrated if necessary. Live
/// rows and queries are read before the switch ends, and change together with all other live values of the scope.
/// ``Database/changes`` sends a change of everything in every table, with the origin ``ChangeOrigin/switch``.
///
/// With ``/AppGroups/ScopePolicy/closes`` the database is closed instead.
public enum DatabaseStatus: Hashable, Sendable {
  /// It can be read, and written unless it was opened for reading only.
  case open

  /// The database is closed.
  ///
  /// It stays closed after ``Database/close()`` and with ``DatabaseError/switched(path:)``. Any other error is the
  /// reason why the file of the new contents could not be opened, and the next switch may open one. After a suspension
  /// of the container, it is the reason why the file could not be opened again, and the next `resume()` may open it.
  case closed(DatabaseError)
}

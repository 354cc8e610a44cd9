/// Whether a database can be used.
///
/// One in a ``/AppGroups/Scope`` follows it: when the contents of the scope's directory are swapped for others,
/// transactions that have begun come to their end, all that is open of the file is closed, and what comes meanwhile
/// waits. Then the database is that which is at its path now, made or migrated if need be. Live rows and queries are
/// read before the swap is over, and change together with all other live values of the scope. ``Database/changes``
/// sends a change of everything in every table, with the origin ``ChangeOrigin/swap``.
///
/// By ``/AppGroups/ScopePolicy/closes`` it is closed instead.
public enum DatabaseStatus: Hashable, Sendable {
  /// It can be read, and written unless it was opened for reading only.
  case open

  /// It is closed: for good after ``Database/close()`` and ``DatabaseError/swapped(path:)``; otherwise the error says
  /// why what has come in its place could not be opened, and the next swap may help.
  case closed(DatabaseError)
}

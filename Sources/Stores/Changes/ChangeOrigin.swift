/// Where a change comes from.
public enum ChangeOrigin: Hashable, Sendable {
  /// This object has written it.
  case here

  /// Another ``Database`` of the same file has written it, in this process.
  case sameProcess

  /// Another process has written it, which shares the database under this name.
  case peer(String)

  /// Others have, and the history that could say who and what has been trimmed; see ``ShareLimits``.
  case trimmedHistory

  /// Another program has written, or a process that does not share the database; any row may have changed.
  case foreign

  /// Another process has migrated the file.
  case migration

  /// The directory that the file is in was swapped for another, and so this is another file.
  case swap
}

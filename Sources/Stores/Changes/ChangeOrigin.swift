/// The origin of a change.
public enum ChangeOrigin: Hashable, Sendable {
  /// This object made the change.
  case here

  /// Another ``Database`` object for the same file, in this process, made the change.
  case sameProcess

  /// Another process, which shares the database under this name, made the change.
  case peer(String)

  /// Other processes made changes, but the history that contains them has been trimmed; see ``ShareLimits``.
  case trimmedHistory

  /// Another program, or a process that does not share the database, made the change.
  ///
  /// Any row may have changed.
  case foreign

  /// Another process has migrated the file.
  case migration

  /// The directory that contains the file was replaced by another, so the database is a different file.
  case `switch`
}

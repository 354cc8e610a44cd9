/// The behavior of a live value when the contents of its ``Scope`` are switched.
public enum ScopePolicy: Sendable, Hashable {
  /// The value continues with its content in the new contents.
  case follows

  /// The value is closed: it keeps its last value, and reports an error that says so.
  ///
  /// It must be opened again.
  case closes
}

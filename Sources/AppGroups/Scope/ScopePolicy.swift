/// What becomes of a live value when the contents of its ``Scope`` are swapped for others.
public enum ScopePolicy: Sendable, Hashable {
  /// It goes on with what the new contents hold in its place.
  case follows

  /// It is closed: it keeps its last value, tells by a typed error that it is closed, and has to be opened anew.
  case closes
}

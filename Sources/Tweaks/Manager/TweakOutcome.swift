/// What became of a value that was set.
public enum TweakOutcome: Sendable, Hashable {
  /// It is in force.
  case effective

  /// It is stored, and a provider that comes before, and cannot be written to, has another one.
  case shadowed(by: String)
}

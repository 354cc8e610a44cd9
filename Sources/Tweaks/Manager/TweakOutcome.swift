/// The outcome of setting a value.
@nonexhaustive
public enum TweakOutcome: Sendable, Hashable {
  /// The value is effective.
  case effective

  /// The value is stored, but hidden by the value of an earlier provider that is not mutable.
  case shadowed(by: String)
}

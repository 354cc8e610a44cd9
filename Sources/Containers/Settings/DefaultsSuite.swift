/// One of the sets of values that `UserDefaults` keeps.
public enum DefaultsSuite: Hashable, Sendable {
  /// What `UserDefaults.standard` keeps for this program.
  case standard

  /// What `UserDefaults(suiteName:)` keeps under a name.
  case named(String)
}

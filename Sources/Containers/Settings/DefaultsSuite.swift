/// A set of values in `UserDefaults`.
public enum DefaultsSuite: Hashable, Sendable {
  /// The values of `UserDefaults.standard`.
  case standard

  /// The values of `UserDefaults(suiteName:)`.
  case named(String)
}

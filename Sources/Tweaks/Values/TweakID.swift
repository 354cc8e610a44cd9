/// The name of a tweak, which consists of a feature and a variable.
///
/// Both may be any string. `a.b`/`c` and `a`/`b.c` are different tweaks in every store.
public struct TweakID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The feature.
  public let feature: String

  /// The variable of the feature.
  public let variable: String

  /// Creates a name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  @inlinable
  public init(feature: String, variable: String) {
    self.feature = feature
    self.variable = variable
  }

  /// Both names, with a slash in between.
  public var description: String { "\(feature)/\(variable)" }

  /// Compares the features, and within a feature the variables.
  ///
  /// - Parameters:
  ///   - first: A name.
  ///   - second: Another name.
  /// - Returns: Whether the first comes before the second.
  public static func < (first: TweakID, second: TweakID) -> Bool {
    (first.feature, first.variable) < (second.feature, second.variable)
  }
}

/// The name of a tweak: a feature, and a variable of it.
///
/// Both are any text; `a.b`/`c` and `a`/`b.c` are different tweaks wherever they are stored.
public struct TweakID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The feature.
  public let feature: String

  /// The variable of the feature.
  public let variable: String

  /// Names a tweak.
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

  /// Compares features, and the variables of one feature.
  ///
  /// - Parameters:
  ///   - first: A name.
  ///   - second: Another one.
  /// - Returns: Whether the first comes before the second.
  public static func < (first: TweakID, second: TweakID) -> Bool {
    (first.feature, first.variable) < (second.feature, second.variable)
  }
}

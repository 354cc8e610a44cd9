public import Foundation

/// Tweaks in the environment of the process: `TWEAK_SHOP__LIMIT=20` is the variable `limit` of the feature `shop`.
///
/// The name is the prefix, the feature, two underscores and the variable, in capitals; whatever is neither a letter nor
/// a digit becomes an underscore. The text means a value of the type that the tweak is read as: for a Bool `true`,
/// `yes`, `on`, `1`, `false`, `no`, `off` and `0`, in any case. One that means none is an error; the empty text is a
/// text, and not nothing.
public struct EnvironmentTweakProvider: TweakProvider {
  /// What the provider is called.
  public let name: String

  /// What the names of the variables begin with.
  public let prefix: String

  private let environment: [String: String]

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - prefix: What the names of the variables begin with.
  ///   - environment: The variables; by default those of this process, now.
  ///   - name: What the provider is called.
  public init(
    prefix: String = "TWEAK_", environment: [String: String] = ProcessInfo.processInfo.environment,
    name: String = "EnvironmentTweakProvider"
  ) {
    self.prefix = prefix
    self.name = name
    self.environment = environment.filter { $0.key.hasPrefix(prefix) }
  }

  /// The name of the environment's variable for a tweak.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The name.
  public func environmentName(feature: String, variable: String) -> String {
    prefix + Self.capitals(feature) + "__" + Self.capitals(variable)
  }

  private static func capitals(_ text: String) -> String {
    String(text.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }

  /// The tweak of a name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if there is no such variable.
  public func tweak(feature: String, variable: String) -> Tweak? {
    if environment.isEmpty { return nil }
    let key = environmentName(feature: feature, variable: variable)
    return environment[key].map { text in
      var tweak = Tweak(feature: feature, variable: variable, value: .string(text), source: "\(name)(\(key))")
      tweak.isUntyped = true
      return tweak
    }
  }
}

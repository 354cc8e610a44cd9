public import Foundation
public import Signals

/// Tweaks in the environment of the process: `TWEAK_SHOP__LIMIT=20` is the variable `limit` of the feature `shop`.
///
/// The name is the prefix, the feature, two underscores and the variable, in capitals; whatever is neither a letter nor
/// a digit becomes an underscore. The text means a value of the type that the tweak is read as: for a Bool `true`,
/// `yes`, `on`, `1`, `false`, `no`, `off` and `0`, in any case. One that means none is an error; the empty text is a
/// text, and not nothing.
///
/// Different tweaks may have the same name there: `a-b/c` and `a_b/c` are both `TWEAK_A_B__C`. If such a variable is
/// set and both tweaks are read, neither gets its value. The error is
/// ``TweakError/ambiguousName(_:other:name:provider:)``, and names both.
public final class EnvironmentTweakProvider: TweakProvider {
  /// What the provider is called.
  public let name: String

  /// What the names of the variables begin with.
  public let prefix: String

  private let environment: [String: String]
  private let emitter = Emitter<TweakUpdate, Never>()

  /// The tweaks that were read of each variable that is set: the first one, and the first other one.
  private let readers = Guarded<[String: (first: TweakID, other: TweakID?)]>([:])

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
  /// - Throws: ``TweakError/ambiguousName(_:other:name:provider:)`` if another tweak that was read has the same variable.
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    if environment.isEmpty { return nil }
    let key = environmentName(feature: feature, variable: variable)
    guard let text = environment[key] else { return nil }
    let id = TweakID(feature: feature, variable: variable)
    if let other = other(than: id, of: key) {
      throw .ambiguousName(id, other: other, name: key, provider: name)
    }
    var tweak = Tweak(feature: feature, variable: variable, value: .string(text), source: "\(name)(\(key))")
    tweak.isUntyped = true
    return tweak
  }

  /// Another tweak that was read of a variable; the first that was is no longer given a value.
  private func other(than id: TweakID, of key: String) -> TweakID? {
    let (first, other, isNews) = readers.withLock { readers in
      var reader = readers[key] ?? (id, nil)
      let isNews = reader.first != id && reader.other == nil
      if isNews { reader.other = id }
      readers[key] = reader
      return (reader.first, reader.other, isNews)
    }
    if isNews { emitter.send(.tweaks([first])) }
    return first == id ? other : first
  }

  /// The tweaks that turned out to share their variable with another one, each time one does.
  public var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }
}

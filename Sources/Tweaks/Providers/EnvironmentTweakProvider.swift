public import Foundation
public import Signals

/// A provider of tweaks from the environment of the process: `TWEAK_SHOP__LIMIT=20` is the variable `limit` of the
/// feature `shop`.
///
/// - **Names.** A name consists of the prefix, the feature, two underscores and the variable, in capitals. Each
///   character other than a letter or a digit becomes an underscore.
/// - **Values.** The text is parsed as the type that is read. A Bool is `true`, `yes`, `on`, `1`, `false`, `no`, `off`
///   or `0`, in any case. A string that does not represent a value of the type is an error. An empty string is a value,
///   not a missing value.
/// - **Ambiguous names.** Different tweaks may have the same name in the environment: `a-b/c` and `a_b/c` are both
///   `TWEAK_A_B__C`. If such a variable is set and both tweaks are read, neither gets its value. The error is
///   ``TweakError/ambiguousName(_:other:name:provider:)``, and names both.
/// - **Unknown names.** A variable that no tweak reads is ignored, even if its name is misspelled. To check names and
///   values when the process starts, pass the known tweaks to ``init(known:prefix:environment:name:)``.
public final class EnvironmentTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  private let prefix: String

  /// The names of the tweaks that the environment sets, as far as they are known.
  private let ids: Set<TweakID>
  private let environment: [String: String]
  private let emitter = Emitter<TweakUpdate, Never>()

  /// The first tweak that was read from each variable, and the first other one.
  private let readers = Guarded<[String: (first: TweakID, other: TweakID?)]>([:])

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the variables' names.
  ///   - environment: The variables; by default the current ones of this process.
  ///   - name: The name of the provider.
  public init(
    prefix: String = "TWEAK_", environment: [String: String] = ProcessInfo.processInfo.environment,
    name: String = "EnvironmentTweakProvider"
  ) {
    self.prefix = prefix
    self.name = name
    self.environment = environment.filter { $0.key.hasPrefix(prefix) }
    ids = []
  }

  /// Creates a provider, and checks that each variable with the prefix belongs to a known tweak.
  ///
  /// - Parameters:
  ///   - known: The known tweaks, such as those of a ``FileTweakProvider``.
  ///   - prefix: The prefix of the variables' names.
  ///   - environment: The variables; by default the current ones of this process.
  ///   - name: The name of the provider.
  /// - Throws: ``TweakError/unknownArgument(_:suggestion:)``, ``TweakError/ambiguousName(_:other:name:provider:)``, or
  ///   ``TweakError/typeMismatch(_:expected:found:provider:)``.
  public init(
    known: [Tweak], prefix: String = "TWEAK_",
    environment: [String: String] = ProcessInfo.processInfo.environment, name: String = "EnvironmentTweakProvider"
  ) throws(TweakError) {
    self.prefix = prefix
    self.name = name
    self.environment = environment.filter { $0.key.hasPrefix(prefix) }
    var names = KnownTweaks()
    for tweak in known {
      names.add(tweak, named: Self.environmentName(prefix, feature: tweak.feature, variable: tweak.variable))
    }
    var ids: Set<TweakID> = []
    for (key, text) in self.environment.sorted(by: { $0.key < $1.key }) {
      let tweaks = try names.tweaks(named: key)
      if tweaks.count > 1 { throw .ambiguousName(tweaks[0].id, other: tweaks[1].id, name: key, provider: name) }
      try tweaks[0].check(text, provider: name)
      ids.insert(tweaks[0].id)
    }
    self.ids = ids
  }

  private static func environmentName(_ prefix: String, feature: String, variable: String) -> String {
    prefix + capitals(feature) + "__" + capitals(variable)
  }

  private static func capitals(_ text: String) -> String {
    // For printable ASCII, this is the same and much faster.
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      return String(decoding: text.utf8.map(capital), as: UTF8.self)
    }
    return String(text.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }

  private static func capital(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
    default: UInt8(ascii: "_")
    }
  }

  /// The tweaks of the environment, each read when it is asked for.
  ///
  /// They are listed only if the provider was created with the known tweaks.
  public var table: Property<TweakTable> {
    .asking(TweakTable.Answers(tweak: tweak, ids: { [ids] in ids }), following: emitter)
  }

  private func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    if environment.isEmpty { return nil }
    let key = Self.environmentName(prefix, feature: feature, variable: variable)
    guard let text = environment[key] else { return nil }
    let id = TweakID(feature: feature, variable: variable)
    if let other = other(than: id, of: key) {
      throw .ambiguousName(id, other: other, name: key, provider: name)
    }
    return Tweak(id, text: text, source: "\(name)(\(key))")
  }

  /// Returns another tweak that was read from a variable.
  ///
  /// When the second tweak is read, the first one loses its value.
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
}

import FileSignals
public import Signals

/// A provider of tweaks from the arguments of the process: `--tweak shop/limit=20`, `--tweak=shop/limit=20`, and for a
/// Bool also `--tweak shop/enabled` and `--no-tweak shop/enabled`.
///
/// - **Names.** A slash or a dot separates feature and variable. A name with several separators means the known tweak
///   with this name. A name that two known tweaks share is an error. Without known tweaks, a name is split at the first
///   slash, or else at the first dot.
/// - **Repetition.** Of several arguments for one tweak, the last one counts.
/// - **Errors.** All arguments are checked when the provider is created, before the program starts its work.
///
/// Pass the known tweaks. Without them, a misspelled name is accepted, and `--tweak shop/title Sale`, with a space
/// instead of `=`, sets the title to the string "true".
public struct ArgumentsTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  /// The tweaks in the arguments, which do not change.
  public let table: Property<TweakTable>

  /// Creates a provider from arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments. All but these options are ignored.
  ///   - option: The name of the option, without dashes.
  ///   - known: The known tweaks, such as those of a ``FileTweakProvider``, against which names and values are checked.
  ///     If there are none, any name is accepted.
  ///   - name: The name of the provider.
  /// - Throws: ``TweakError/unknownArgument(_:suggestion:)``, ``TweakError/invalidArgument(_:reason:)``, or
  ///   ``TweakError/typeMismatch(_:expected:found:provider:)``.
  public init(
    arguments: [String] = CommandLine.arguments, option: String = "tweak", known: [Tweak] = [],
    name: String = "ArgumentsTweakProvider"
  ) throws(TweakError) {
    self.name = name
    var tweaks: [TweakID: Tweak] = [:]
    var names = KnownTweaks()
    for tweak in known {
      names.add(tweak, named: "\(tweak.feature)/\(tweak.variable)")
      names.add(tweak, named: "\(tweak.feature).\(tweak.variable)")
    }
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { break }
      for (flag, isOn) in [("--\(option)", true), ("--no-\(option)", false)] {
        var text: String
        if argument == flag {
          guard let next = rest.popFirst() else {
            throw .invalidArgument(argument, reason: "the name of a tweak must follow it")
          }
          text = next
        } else if let named = argument.without(beginning: flag + "=") {
          text = named
        } else {
          continue
        }
        var value: String?
        if let index = text.unicodeScalars.firstIndex(of: "=") {
          value = String(text[text.unicodeScalars.index(after: index)...])
          text = String(text[..<index])
        }
        if !isOn, value != nil { throw .invalidArgument(flag, reason: "it takes no value, only the name of a tweak") }
        let id = try Self.id(of: text, value: value, flag: flag, names, name)
        tweaks[id] = Tweak(id, text: value ?? (isOn ? "true" : "false"), source: name)
      }
    }
    table = .constant(TweakTable(Array(tweaks.values)))
  }

  private static func id(
    of name: String, value: String?, flag: String, _ known: KnownTweaks, _ provider: String
  ) throws(TweakError) -> TweakID {
    if known.isEmpty { return try parted(name) }
    let found = try known.tweaks(named: name)
    guard let tweak = found.first, found.count == 1 else {
      let names = found.map { "\($0.id)" }.joined(separator: " or ")
      throw .invalidArgument(name, reason: "it could mean \(names)")
    }
    guard let value else {
      if tweak.value.kind == .bool, !tweak.isEncrypted { return tweak.id }
      let reason = "\(flag) without a value sets a Bool; add a value after the name, as in \(name)=…"
      throw .invalidArgument(name, reason: reason)
    }
    try tweak.check(value, provider: provider)
    return tweak.id
  }

  /// Returns the tweak for a name that is not compared with known tweaks.
  private static func parted(_ name: String) throws(TweakError) -> TweakID {
    let scalars = name.unicodeScalars
    guard let index = scalars.firstIndex(of: "/") ?? scalars.firstIndex(of: ".") else {
      throw .invalidArgument(name, reason: "it must consist of a feature and a variable, such as \"shop/limit\"")
    }
    let id = TweakID(feature: String(name[..<index]), variable: String(name[scalars.index(after: index)...]))
    if id.feature.isEmpty || id.variable.isEmpty {
      throw .invalidArgument(name, reason: "neither the feature nor the variable may be empty, as in \"shop/limit\"")
    }
    return id
  }
}

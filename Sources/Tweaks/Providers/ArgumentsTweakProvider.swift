/// Tweaks in the arguments of the process: `--tweak shop/limit=20`, `--tweak=shop/limit=20`, and for a Bool also
/// `--tweak shop/enabled` and `--no-tweak shop/enabled`.
///
/// Between feature and variable stands a slash or a dot. A name with several of them is taken for the known tweak that
/// is called so; if it is none, it is parted at the first slash, or else at the first dot. Of several arguments for one
/// tweak the last counts. All are checked when the provider is made, before the program does its work.
public struct ArgumentsTweakProvider: TweakProvider {
  /// What the provider is called.
  public let name: String

  private let tweaks: [TweakID: Tweak]

  /// Reads arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments; others than these options are passed over.
  ///   - option: The name of the option, without dashes.
  ///   - known: The tweaks that there are, such as those of a ``FileTweakProvider``, by which names and values are
  ///     checked. If there are none, any name will do.
  ///   - name: What the provider is called.
  /// - Throws: ``TweakError/unknownArgument(_:suggestion:)``, ``TweakError/invalidArgument(_:reason:)``, or
  ///   ``TweakError/typeMismatch(_:expected:found:provider:)``.
  public init(
    arguments: [String] = CommandLine.arguments, option: String = "tweak", known: [Tweak] = [],
    name: String = "ArgumentsTweakProvider"
  ) throws(TweakError) {
    self.name = name
    var tweaks: [TweakID: Tweak] = [:]
    var names: [String: Tweak] = [:]
    for tweak in known {
      names["\(tweak.feature)/\(tweak.variable)"] = tweak
      names["\(tweak.feature).\(tweak.variable)"] = tweak
    }
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { break }
      for (flag, isOn) in [("--\(option)", true), ("--no-\(option)", false)] {
        var text: String
        if argument == flag {
          guard let next = rest.popFirst() else {
            throw .invalidArgument(argument, reason: "the name of a tweak should follow")
          }
          text = next
        } else if argument.hasPrefix(flag + "=") {
          text = String(argument.dropFirst(flag.count + 1))
        } else {
          continue
        }
        var value: String?
        if let index = text.firstIndex(of: "=") {
          value = String(text[text.index(after: index)...])
          text = String(text[..<index])
        }
        if !isOn, value != nil { throw .invalidArgument(argument, reason: "--no-\(option) takes no value") }
        let tweak = try Self.tweak(text, value ?? (isOn ? "true" : "false"), names, name)
        tweaks[tweak.id] = tweak
      }
    }
    self.tweaks = tweaks
  }

  private static func tweak(
    _ name: String, _ value: String, _ known: [String: Tweak], _ provider: String
  ) throws(TweakError) -> Tweak {
    guard !known.isEmpty else {
      guard let index = name.firstIndex(of: "/") ?? name.firstIndex(of: ".") else {
        throw .invalidArgument(name, reason: "it should be a feature and a variable, such as \"shop/limit\"")
      }
      let id = TweakID(feature: String(name[..<index]), variable: String(name[name.index(after: index)...]))
      return untyped(id, value, provider)
    }
    guard let declared = known[name] else {
      throw .unknownArgument(name, suggestion: Nearest.text(to: name, in: known.keys))
    }
    let isOfType =
      switch declared.value.kind {
      case .bool: Bool.tweakValue(parsing: value) != nil
      case .int: Int.tweakValue(parsing: value) != nil
      case .double: Double.tweakValue(parsing: value) != nil
      case .string: true
      }
    guard isOfType || declared.isEncrypted else {
      throw .typeMismatch(
        declared.id, expected: "\(declared.value.kind)", found: "the text \(value.debugDescription)", provider: provider
      )
    }
    return untyped(declared.id, value, provider)
  }

  private static func untyped(_ id: TweakID, _ text: String, _ source: String) -> Tweak {
    var tweak = Tweak(feature: id.feature, variable: id.variable, value: .string(text), source: source)
    tweak.isUntyped = true
    return tweak
  }

  /// The tweak of a name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if no argument names it.
  public func tweak(feature: String, variable: String) -> Tweak? {
    tweaks[TweakID(feature: feature, variable: variable)]
  }

  /// The names of the tweaks that the arguments have.
  public var tweakIDs: Set<TweakID> { Set(tweaks.keys) }
}

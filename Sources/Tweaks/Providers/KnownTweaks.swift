import Signals

/// The known tweaks, by the names that a provider uses for them.
struct KnownTweaks {
  private var tweaks: [String: [Tweak]] = [:]

  /// Adds a tweak, and replaces an earlier one with the same identity.
  mutating func add(_ tweak: Tweak, named name: String) {
    var named = tweaks[name, default: []]
    named.removeAll { $0.id == tweak.id }
    named.append(tweak)
    tweaks[name] = named
  }

  /// A Boolean value that indicates whether there are no known tweaks.
  var isEmpty: Bool { tweaks.isEmpty }

  /// Returns the tweaks of a name.
  ///
  /// There are several if the name is ambiguous.
  ///
  /// - Throws: ``TweakError/unknownArgument(_:suggestion:)`` if no tweak has the name.
  func tweaks(named name: String) throws(TweakError) -> [Tweak] {
    if let found = tweaks[name] { return found }
    throw .unknownArgument(name, suggestion: Nearest.text(to: name, in: tweaks.keys))
  }
}

@available(*, unavailable)
extension KnownTweaks: Sendable {}

extension Tweak {
  /// Checks that a string represents a value of a known tweak's kind.
  func check(_ text: String, provider: String) throws(TweakError) {
    // The kind of an encrypted value is the kind of its ciphertext.
    if isEncrypted || value.kind.value(of: text) != nil { return }
    let found = isSecret ? "a text" : "the text \(text.debugDescription)"
    throw .typeMismatch(id, expected: value.kind.rawValue, found: found, provider: provider)
  }

  /// Creates a tweak from a string, whose kind is determined by each read.
  init(_ id: TweakID, text: String, source: String) {
    self.init(feature: id.feature, variable: id.variable, value: .string(text), source: source)
    isUntyped = true
  }
}

import Foundation

/// The parts of a tweak, in one object, so that a copy of a tweak is one reference.
///
/// They are properties of the object itself. One structure with all of them is too large for the compiler to move, and
/// a file of a thousand tweaks would take a tenth longer to read.
final class TweakContents: Sendable {
  let feature: String
  let variable: String
  let value: TweakValue
  let title: String?
  let details: String?
  let group: String?
  let source: String?
  let isEncrypted: Bool
  let isSecret: Bool
  let isUntyped: Bool
  let isStructured: Bool
  fileprivate let extras: TweakExtras?

  init(
    feature: String, variable: String, value: TweakValue, title: String?, details: String?, group: String?,
    source: String?, isEncrypted: Bool = false, structure: StructureSource? = nil
  ) {
    (self.feature, self.variable, self.value) = (feature, variable, value)
    (self.title, self.details, self.group, self.source) = (title, details, group, source)
    (self.isEncrypted, isSecret, isUntyped, isStructured) = (isEncrypted, false, false, structure != nil)
    extras = structure.map { TweakExtras(TweakOrigin(structure: $0)) }
  }

  init(_ parts: TweakParts) {
    (feature, variable, value) = (parts.feature, parts.variable, parts.value)
    (title, details, group, source) = (parts.title, parts.details, parts.group, parts.source)
    (isEncrypted, isSecret) = (parts.isEncrypted, parts.isSecret)
    (isUntyped, isStructured) = (parts.isUntyped, parts.isStructured)
    extras = parts.extras
  }

  /// The parts that few tweaks have.
  var origin: TweakOrigin { extras?.origin ?? TweakOrigin() }

  /// The parts, for changing or storing them.
  var parts: TweakParts { TweakParts(self) }
}

extension TweakContents: Hashable {
  static func == (first: TweakContents, second: TweakContents) -> Bool {
    first === second || first.isEqual(to: second)
  }

  private func isEqual(to other: TweakContents) -> Bool {
    // The value comes first, because it is the most likely to differ.
    value == other.value && variable == other.variable && feature == other.feature && title == other.title
      && details == other.details && group == other.group && source == other.source
      && isEncrypted == other.isEncrypted && isSecret == other.isSecret && isUntyped == other.isUntyped
      && isStructured == other.isStructured && (extras === other.extras || origin == other.origin)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(feature)
    hasher.combine(variable)
    hasher.combine(value)
  }
}

/// The parts of a tweak as values, for changes, and in the format in which a cache stores them.
struct TweakParts: Sendable, Codable {
  let feature: String
  let variable: String
  var value: TweakValue
  var title: String?
  var details: String?
  var group: String?
  var source: String?
  var isEncrypted: Bool
  var isSecret: Bool
  var isUntyped: Bool
  var isStructured: Bool
  fileprivate var extras: TweakExtras?

  /// The parts that few tweaks have.
  var origin: TweakOrigin {
    get { extras?.origin ?? TweakOrigin() }
    set { extras = newValue == TweakOrigin() ? nil : TweakExtras(newValue) }
  }

  fileprivate init(_ contents: TweakContents) {
    (feature, variable, value) = (contents.feature, contents.variable, contents.value)
    (title, details, group, source) = (contents.title, contents.details, contents.group, contents.source)
    (isEncrypted, isSecret) = (contents.isEncrypted, contents.isSecret)
    (isUntyped, isStructured) = (contents.isUntyped, contents.isStructured)
    extras = contents.extras
  }
}

/// The parts that few tweaks have, in one object, so that a thousand tweaks without them stay small.
private final class TweakExtras: Sendable, Codable {
  let origin: TweakOrigin

  init(_ origin: TweakOrigin) {
    self.origin = origin
  }
}

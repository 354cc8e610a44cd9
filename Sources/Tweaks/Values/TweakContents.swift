import Foundation

/// The parts of a tweak, in one object, so that a copy of a tweak is one reference, and in the format in which a cache
/// stores them.
///
/// They are properties of the object itself. One structure with all of them is too large for the compiler to move, and
/// a file of a thousand tweaks would take a tenth longer to read.
final class TweakContents: @unchecked Sendable, Codable {
  // Sound: a tweak changes its contents only while it has the only reference.
  let feature: String
  let variable: String
  var value: TweakValue
  var title: String?
  var details: String?
  var group: String?
  var source: String?
  var isEncrypted: Bool
  var isSecret = false
  var isUntyped = false
  var isStructured: Bool
  private var extras: TweakExtras?

  init(
    feature: String, variable: String, value: TweakValue, title: String?, details: String?, group: String?,
    source: String?, isEncrypted: Bool = false, structure: StructureSource? = nil
  ) {
    (self.feature, self.variable, self.value) = (feature, variable, value)
    (self.title, self.details, self.group, self.source) = (title, details, group, source)
    (self.isEncrypted, isStructured) = (isEncrypted, structure != nil)
    extras = structure.map { TweakExtras(TweakOrigin(structure: $0)) }
  }

  init(copying other: TweakContents) {
    (feature, variable, value) = (other.feature, other.variable, other.value)
    (title, details, group, source) = (other.title, other.details, other.group, other.source)
    (isEncrypted, isSecret) = (other.isEncrypted, other.isSecret)
    (isUntyped, isStructured, extras) = (other.isUntyped, other.isStructured, other.extras)
  }

  /// The parts that few tweaks have.
  var origin: TweakOrigin {
    get { extras?.origin ?? TweakOrigin() }
    set { extras = newValue == TweakOrigin() ? nil : TweakExtras(newValue) }
  }
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

/// The parts of a tweak that say where its value comes from, which most tweaks do not have.
struct TweakOrigin: Sendable, Equatable {
  var rule: String?
  var variant: String?
  var reason: TweakReason?
  var metadata: [String: TweakValue] = [:]
  var expiration: Date?
  var structure: StructureSource?
}

/// A cache stores neither an expiration, which only overrides have, nor a place in a file.
extension TweakOrigin: Codable {
  private enum CodingKeys: String, CodingKey {
    case rule, variant, reason, metadata
  }
}

/// The parts that few tweaks have, in one object, so that a thousand tweaks without them stay small.
private final class TweakExtras: Sendable, Codable {
  let origin: TweakOrigin

  init(_ origin: TweakOrigin) {
    self.origin = origin
  }
}

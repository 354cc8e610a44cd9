import Foundation

/// The parts of a tweak, in one object, so that a copy of a tweak is one reference.
final class TweakContents: Sendable {
  let parts: TweakParts

  init(_ parts: consuming TweakParts) {
    self.parts = parts
  }
}

/// The parts of a tweak, which are also the format in which a cache stores it.
struct TweakParts: Sendable, Codable {
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

  /// The parts that few tweaks have, in one object, so that a thousand tweaks without them stay small.
  private var extras: Extras?

  /// The parts that few tweaks have.
  var origin: TweakOrigin {
    get { extras?.origin ?? TweakOrigin() }
    set { extras = newValue == TweakOrigin() ? nil : Extras(newValue) }
  }

  init(
    feature: String, variable: String, value: TweakValue, title: String? = nil, details: String? = nil,
    group: String? = nil, source: String? = nil, isEncrypted: Bool = false, structure: StructureSource? = nil
  ) {
    (self.feature, self.variable, self.value) = (feature, variable, value)
    (self.title, self.details, self.group, self.source) = (title, details, group, source)
    self.isEncrypted = isEncrypted
    isStructured = structure != nil
    extras = structure.map { Extras(TweakOrigin(structure: $0)) }
  }

  private final class Extras: Sendable, Codable {
    let origin: TweakOrigin

    init(_ origin: TweakOrigin) {
      self.origin = origin
    }
  }
}

extension TweakParts: Equatable {
  static func == (first: TweakParts, second: TweakParts) -> Bool {
    // The value comes first, because it is the most likely to differ.
    first.value == second.value && first.variable == second.variable && first.feature == second.feature
      && first.title == second.title && first.details == second.details && first.group == second.group
      && first.source == second.source && first.isEncrypted == second.isEncrypted && first.isSecret == second.isSecret
      && first.isUntyped == second.isUntyped && first.isStructured == second.isStructured
      && (first.extras === second.extras || first.origin == second.origin)
  }
}

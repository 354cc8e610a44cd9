/// The parts of a tweak, in one object, so that a copy of a tweak is one reference.
final class TweakContents: Sendable {
  let parts: TweakParts

  init(_ parts: TweakParts) {
    self.parts = parts
  }
}

/// The parts of a tweak.
struct TweakParts: Sendable, Equatable {
  let feature: String
  let variable: String
  var value: TweakValue
  var title: String?
  var details: String?
  var group: String?
  var source: String?
  var rule: String?
  var isEncrypted = false
  var isSecret = false
  var isUntyped = false

  static func == (first: TweakParts, second: TweakParts) -> Bool {
    // The value comes first, because it is the most likely to differ.
    first.value == second.value && first.variable == second.variable && first.feature == second.feature
      && first.title == second.title && first.details == second.details && first.group == second.group
      && first.source == second.source && first.rule == second.rule && first.isEncrypted == second.isEncrypted
      && first.isSecret == second.isSecret && first.isUntyped == second.isUntyped
  }
}

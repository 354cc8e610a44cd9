/// What a tweak consists of.
final class TweakContents: @unchecked Sendable {  // Sound: it is changed only while one tweak alone has it.
  let feature: String
  let variable: String
  var value: TweakValue
  var title: String?
  var desc: String?
  var group: String?
  var source: String?
  var rule: String?
  var isEncrypted = false
  var isSecret = false
  var isUntyped = false

  init(_ feature: String, _ variable: String, _ value: TweakValue) {
    self.feature = feature
    self.variable = variable
    self.value = value
  }

  func copy() -> TweakContents {
    let copy = TweakContents(feature, variable, value)
    copy.title = title
    copy.desc = desc
    copy.group = group
    copy.source = source
    copy.rule = rule
    copy.isEncrypted = isEncrypted
    copy.isSecret = isSecret
    copy.isUntyped = isUntyped
    return copy
  }

  func isEqual(to other: TweakContents) -> Bool {
    value == other.value && variable == other.variable && feature == other.feature && title == other.title
      && desc == other.desc && group == other.group && source == other.source && rule == other.rule
      && isEncrypted == other.isEncrypted && isSecret == other.isSecret && isUntyped == other.isUntyped
  }
}

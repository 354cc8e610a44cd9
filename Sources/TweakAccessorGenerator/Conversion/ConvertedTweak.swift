import TweakFormat

/// A tweak that another library's file has.
struct ConvertedTweak: Sendable {
  let feature: String
  let variable: String

  /// Where it stands in the other file.
  let offset: Int
  var value: TweakDocument.Value
  var title: String?
  var details: String?
  var group: String?
  var propertyName: String?
  var isEncrypted = false
}

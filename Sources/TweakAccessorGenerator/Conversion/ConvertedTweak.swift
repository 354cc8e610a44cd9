import TweakFormat

/// A tweak from another library's file.
struct ConvertedTweak: Sendable {
  let feature: String
  let variable: String

  /// The offset in the other file.
  let offset: Int
  var value: TweakDocument.Value
  var title: String?
  var details: String?
  var group: String?
  var propertyName: String?
  var isEncrypted = false
}

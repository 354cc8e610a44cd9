/// A question that a manager asks its providers.
enum TweakQuestion: Sendable, Hashable {
  /// The value of a tweak.
  case tweak(TweakID)

  /// The state of a feature.
  case feature(String)

  /// The name in errors.
  var id: TweakID {
    switch self {
    case .tweak(let id): id
    case .feature(let feature): TweakID(feature: feature, variable: Tweak.enabledVariable)
    }
  }
}

/// A question that a manager asks its providers.
enum TweakQuestion: Sendable, Hashable {
  /// The value of a tweak.
  case tweak(TweakID)

  /// Whether a feature is enabled.
  case feature(String)

  /// The name by which errors call it.
  var id: TweakID {
    switch self {
    case .tweak(let id): id
    case .feature(let feature): TweakID(feature: feature, variable: Tweak.enabledVariable)
    }
  }
}

/// The evaluation of a tweak: its value, and how it came about.
public struct TweakDetails<Value: Sendable>: Sendable {
  /// The value, or the default of the key.
  public let value: Value

  /// The tweak that gave the value, with its provider, rule, variant and metadata; `nil` if the value is the default.
  public let tweak: Tweak?

  /// The reason.
  public let reason: TweakReason

  /// The failure, if the value is the default because of one.
  public let error: TweakError?

  /// The version of the manager, which is ``TweakSnapshot/version``.
  public let version: Int
}

extension TweakDetails: Equatable where Value: Equatable {}

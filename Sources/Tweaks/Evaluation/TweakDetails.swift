/// The evaluation of a tweak: its value, and how it came about.
public struct TweakDetails<Value: Sendable>: Sendable {
  /// The tweak.
  public let id: TweakID

  /// The value, or the default of the key.
  public let value: Value

  /// The name of the value among the variants of an experiment, if the provider gives one.
  public let variant: String?

  /// The reason.
  public let reason: TweakReason

  /// The failure, if the value is the default because of one.
  public let error: TweakError?

  /// The kind of the failure.
  public let code: TweakErrorCode?

  /// The name of the provider of the value.
  public let provider: String?

  /// The rule of the provider that determined the value.
  public let rule: String?

  /// The version of the manager, which is ``TweakSnapshot/version``.
  public let version: Int

  /// Other facts that the provider gives.
  public let metadata: [String: TweakValue]
}

extension TweakDetails: Equatable where Value: Equatable {}

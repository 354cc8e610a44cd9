/// A change of the effective value of a tweak.
///
/// If the tweak is secret, the printed form shows neither value.
public struct TweakChange: Sendable, Hashable {
  /// The tweak.
  public let id: TweakID

  /// The old value, or `nil` if there was no usable one.
  public let old: TweakValue?

  /// The new value, or `nil` if there is no usable one.
  public let new: TweakValue?

  /// The provider of the new value.
  public let source: String?

  /// A Boolean value that indicates whether the values must not be shown.
  public let isSecret: Bool
}

extension TweakChange: CustomStringConvertible, CustomReflectable {
  /// The name, and both values.
  public var description: String { "\(id): \(shown(old)) → \(shown(new))" + (source.map { " (\($0))" } ?? "") }

  /// The children that `dump` shows.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "id": id, "old": shown(old), "new": shown(new), "source": source as Any, "isSecret": isSecret,
      ],
      displayStyle: .struct
    )
  }

  private func shown(_ value: TweakValue?) -> String {
    value.map { isSecret ? Tweak.redacted : $0.description } ?? "none"
  }
}

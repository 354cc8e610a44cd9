/// A change of what is in force.
///
/// Printing one of a secret tweak shows none of its values.
public struct TweakChange: Sendable, Hashable {
  /// The tweak.
  public let id: TweakID

  /// The value before; `nil` if there was none that could be used.
  public let old: TweakValue?

  /// The value now; `nil` if there is none that can be used.
  public let new: TweakValue?

  /// The provider whose value it is now.
  public let source: String?

  /// Whether the values must not be shown.
  public let isSecret: Bool
}

extension TweakChange: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name, and both values.
  public var description: String { "\(id): \(shown(old)) → \(shown(new))" + (source.map { " (\($0))" } ?? "") }

  /// The name, and both values.
  public var debugDescription: String { description }

  /// What `dump` shows.
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

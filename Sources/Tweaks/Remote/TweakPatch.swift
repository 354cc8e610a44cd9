/// A change of some tweaks, which a server sends between two complete answers.
public struct TweakPatch: Sendable, Hashable {
  /// The version of the tweaks after the change.
  ///
  /// A patch of the current version or an older one is ignored. If versions are missing in between, the provider
  /// requests all tweaks, and the patch waits for the answer.
  public var version: Int

  /// The tweaks that the patch adds or replaces.
  public var tweaks: [Tweak]

  /// The tweaks that the patch removes.
  public var removed: [TweakID]

  /// A Boolean value that indicates whether the patch contains all tweaks.
  ///
  /// It replaces the values even if versions are missing in between. An older one is ignored like any answer that is
  /// older.
  public var isComplete: Bool

  /// The identifier of the event, with which the next connection continues.
  ///
  /// With `nil`, the next connection continues with the last identifier, and with an empty one it continues with none.
  public var eventID: String?

  /// Creates a patch.
  ///
  /// - Parameters:
  ///   - version: The version of the tweaks after the change.
  ///   - tweaks: The tweaks that the patch adds or replaces.
  ///   - removed: The tweaks that the patch removes.
  ///   - isComplete: A Boolean value that indicates whether the patch contains all tweaks.
  ///   - eventID: The identifier of the event.
  public init(
    version: Int, tweaks: [Tweak] = [], removed: [TweakID] = [], isComplete: Bool = false, eventID: String? = nil
  ) {
    self.version = version
    self.tweaks = tweaks
    self.removed = removed
    self.isComplete = isComplete
    self.eventID = eventID
  }
}

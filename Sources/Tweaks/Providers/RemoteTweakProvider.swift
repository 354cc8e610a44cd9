public import Signals

/// Tweaks that are fetched from elsewhere, such as a server, whenever ``refresh()`` is called.
///
/// The last ones that could be fetched stand until the next ones arrive, all at once. An answer that arrives after that
/// of a later request is dropped.
///
/// To use a service with an interface of its own, implement ``TweakProvider`` and send ``TweakUpdate/everything``
/// whenever it has activated new values.
public final class RemoteTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  private let fetch: @Sendable () async throws -> [Tweak]
  private let collection: TweakCollection

  /// The numbers of the latest request, and of the latest that was answered.
  private let requests = Guarded((latest: 0, answered: 0))

  /// Makes a provider; nothing is fetched yet.
  ///
  /// - Parameters:
  ///   - name: The name of the provider.
  ///   - initialTweaks: The tweaks until others have been fetched; the last of those that have the same name counts.
  ///   - fetch: Gets all tweaks; the last of those that have the same name counts.
  public init(
    name: String = "RemoteTweakProvider", initialTweaks: [Tweak] = [],
    fetch: @escaping @Sendable () async throws -> [Tweak]
  ) {
    self.name = name
    self.fetch = fetch
    collection = TweakCollection(source: name)
    _ = collection.replace(by: initialTweaks)
  }

  /// Fetches the tweaks.
  ///
  /// - Throws: What fetching threw; the tweaks are the same as before then.
  public func refresh() async throws {
    let number = requests.withLock { requests in
      requests.latest += 1
      return requests.latest
    }
    let tweaks = try await fetch()
    let changed: Set<TweakID> = requests.withLock { requests in
      guard number > requests.answered else { return [] }
      requests.answered = number
      // Under the lock, so that an older answer cannot come after the check and before this.
      return collection.replace(by: tweaks)
    }
    collection.tell(changed)
  }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if there is none.
  public func tweak(feature: String, variable: String) -> Tweak? {
    collection[feature, variable]
  }

  /// The names of the tweaks that there are.
  public var tweakIDs: Set<TweakID> { collection.ids }

  /// The changed tweaks, sent after each change.
  public var updates: AnySignal<TweakUpdate, Never> { collection.updates }
}

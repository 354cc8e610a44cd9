public import Signals

/// A provider of tweaks that are fetched, for example from a server, by ``refresh()``.
///
/// The last fetched tweaks stay until the next ones replace them, all at once. If a later request was answered first,
/// the answer of an earlier one is dropped.
///
/// For a service with its own interface, implement ``TweakProvider`` and send ``TweakUpdate/everything`` whenever the
/// service has activated new values.
public final class RemoteTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  private let fetch: @Sendable () async throws -> [Tweak]
  private let collection: TweakCollection

  /// The numbers of the latest request and of the latest answered one.
  private let requests = Guarded((latest: 0, answered: 0))

  /// Creates a provider.
  ///
  /// Nothing is fetched yet.
  ///
  /// - Parameters:
  ///   - name: The name of the provider.
  ///   - initialTweaks: The tweaks until others have been fetched. Of several with the same name, the last one counts.
  ///   - fetch: A closure that fetches all tweaks. Of several with the same name, the last one counts.
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
  /// - Throws: The error that the fetch threw; then the tweaks are unchanged.
  public func refresh() async throws {
    let number = requests.withLock { requests in
      requests.latest += 1
      return requests.latest
    }
    let tweaks = try await fetch()
    let changed: Set<TweakID> = requests.withLock { requests in
      guard number > requests.answered else { return [] }
      requests.answered = number
      // This happens under the lock, so that an older answer cannot come between the check and the replacement.
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

  /// The names of the tweaks.
  public var tweakIDs: Set<TweakID> { collection.ids }

  /// The changed tweaks, sent after each change.
  public var updates: AnySignal<TweakUpdate, Never> { collection.updates }
}

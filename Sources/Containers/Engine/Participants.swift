import FileSignals
import Signals

/// The delegates, hooks and settings that take part in the switches of a root, in the order of their calls.
final class Participants: Sendable {
  private struct DelegateEntry: Sendable {
    weak let delegate: (any AppContainerDelegate)?
    weak let owner: AppContainer?
  }

  private struct State {
    var delegates: [DelegateEntry] = []
    var hooks = StagedMembers<@Sendable () throws -> Void, Int, Void>()
    var settings: [any EnvironmentSettings] = []
  }

  private let state = Guarded(State())

  // MARK: Delegates

  func add(_ delegate: any AppContainerDelegate, of owner: AppContainer) {
    let new = DelegateEntry(delegate: delegate, owner: owner)
    change { live in
      let isThere = live.contains { $0.delegate === delegate && $0.owner === owner }
      return live.map(\.entry) + (isThere ? [] : [new])
    }
  }

  func remove(_ delegate: any AppContainerDelegate, of owner: AppContainer) {
    change { $0.filter { $0.delegate !== delegate || $0.owner !== owner }.map(\.entry) }
  }

  var delegates: [(delegate: any AppContainerDelegate, owner: AppContainer)] {
    change { $0.map(\.entry) }.map { ($0.delegate, $0.owner) }
  }

  private typealias LiveEntry = (entry: DelegateEntry, delegate: any AppContainerDelegate, owner: AppContainer)

  /// Changes the entries whose delegates and owners are still alive.
  ///
  /// Objects are released without the lock, because a `deinit` may run any code.
  ///
  /// - Returns: The live entries before the change.
  @discardableResult
  private func change(_ body: ([LiveEntry]) -> [DelegateEntry]) -> [LiveEntry] {
    let (loaded, live) = state.withLock { state in
      let loaded = state.delegates.map { ($0, $0.delegate, $0.owner) }
      let live = loaded.compactMap { entry, delegate, owner -> LiveEntry? in
        guard let delegate, let owner else { return nil }
        return (entry, delegate, owner)
      }
      state.delegates = body(live)
      return (loaded, live)
    }
    return withExtendedLifetime(loaded) { live }
  }

  // MARK: Hooks

  func add(order: Int, _ hook: @escaping @Sendable () throws -> Void) -> SignalSubscription {
    let number = state.withLock { $0.hooks.add(in: order, ()) { hook } }
    // The captured values of the hook are released without the lock, because their `deinit` may run any code.
    return SignalSubscription { [weak self] in self?.state.replace { $0.hooks.remove(number) } }
  }

  var hooks: [@Sendable () throws -> Void] { state.withLock { $0.hooks.entries }.compactMap { $0.member() } }

  // MARK: Settings

  /// Adds settings, unless settings with the same name are there already.
  func add(_ settings: any EnvironmentSettings) {
    state.withLock { state in
      guard !state.settings.contains(where: { $0.name == settings.name }) else { return }
      state.settings.append(settings)
    }
  }

  var settings: [any EnvironmentSettings] { state.withLock { $0.settings } }
}

import Signals

/// Who takes part in the switches of a root, in the order in which they are called.
final class Participants: Sendable {
  private struct DelegateEntry {
    weak var delegate: (any AppContainerDelegate)?
    weak var owner: AppContainer?
  }

  private struct HookEntry {
    let number: Int
    let order: Int
    let hook: @Sendable () throws -> Void
  }

  private let lock = Lock()
  // Sound: guarded by the lock, as are the next ones.
  private nonisolated(unsafe) var delegateEntries: [DelegateEntry] = []
  private nonisolated(unsafe) var hookEntries: [HookEntry] = []
  private nonisolated(unsafe) var settingsEntries: [any ContainerSettings] = []
  private nonisolated(unsafe) var count = 0

  // MARK: Delegates

  func add(_ delegate: any AppContainerDelegate, of owner: AppContainer) {
    lock.withLock {
      delegateEntries.removeAll { $0.delegate == nil || $0.owner == nil }
      guard !delegateEntries.contains(where: { $0.delegate === delegate && $0.owner === owner }) else { return }
      delegateEntries.append(DelegateEntry(delegate: delegate, owner: owner))
    }
  }

  func remove(_ delegate: any AppContainerDelegate, of owner: AppContainer) {
    lock.withLock { delegateEntries.removeAll { $0.delegate === delegate && $0.owner === owner } }
  }

  var delegates: [(delegate: any AppContainerDelegate, owner: AppContainer)] {
    lock.withLock {
      delegateEntries.compactMap { entry in
        guard let delegate = entry.delegate, let owner = entry.owner else { return nil }
        return (delegate, owner)
      }
    }
  }

  // MARK: Hooks

  func add(order: Int, _ hook: @escaping @Sendable () throws -> Void) -> SignalSubscription {
    let number = lock.withLock {
      count += 1
      let entry = HookEntry(number: count, order: order, hook: hook)
      let index = hookEntries.firstIndex { $0.order > order } ?? hookEntries.endIndex
      hookEntries.insert(entry, at: index)
      return count
    }
    return SignalSubscription { [weak self] in self?.removeHook(number) }
  }

  private func removeHook(_ number: Int) {
    lock.withLock { hookEntries.removeAll { $0.number == number } }
  }

  var hooks: [@Sendable () throws -> Void] { lock.withLock { hookEntries.map(\.hook) } }

  // MARK: Settings

  /// Has settings switched too; those of a name that is there already are not added again.
  func add(_ settings: any ContainerSettings) {
    lock.withLock {
      guard !settingsEntries.contains(where: { $0.name == settings.name }) else { return }
      settingsEntries.append(settings)
    }
  }

  var settings: [any ContainerSettings] { lock.withLock { settingsEntries } }
}

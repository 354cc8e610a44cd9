import AppGroups
import Signals

extension TweakManager {
  /// The providers, the most important first.
  public var providers: [any TweakProvider] { state.withLock { $0.sources.all }.map(\.provider) }

  /// Adds a provider.
  ///
  /// It must not be a manager that uses this one as a provider.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - index: The position; 0, the default, is the most important. An index beyond the end means the last position.
  public func insert(_ provider: any TweakProvider, at index: Int = 0) {
    insert([provider], at: index)
  }

  /// Adds providers.
  ///
  /// No lock is held while a provider is asked for its parts, because their code may call the manager.
  func insert(_ providers: [any TweakProvider], at index: Int) {
    let new = providers.map { provider in
      TweakSource(provider) { provider, table in
        let following = table.changes.sink { [weak self] _ in self?.follow() }
        let forwarder = FailureForwarder { [weak self] in self?.areFailuresObserved ?? false }
        let failures = forwarder.attach {
          provider.failures.sink { [weak self] in self?.report($0, isReported: forwarder.isLinked) }
        }
        return [following, failures] + provider.scopes.map { $0.enrol(self) }
      }
    }
    let moments = new.map(\.table.value.moment)
    state.withLock { $0.sources.insert(new, moments, at: index) }
    if providers.contains(where: { ($0 as? TweakManager)?.reaches(self) ?? false }) {
      stop(because: "A TweakManager cannot be its own provider, directly or through another manager")
    }
    follow(.everything)
  }

  /// Removes all providers of a name.
  ///
  /// - Parameter name: The name. Providers that were created without a name share the default name of their type.
  /// - Returns: The number of removed providers; 0 if none has the name.
  @discardableResult
  public func removeProviders(named name: String) -> Int {
    let removed = state.withLock { $0.sources.remove(named: name) }
    for subscription in removed.flatMap(\.subscriptions) { subscription.cancel() }
    follow(.everything)
    return removed.count
  }

  private func reaches(_ manager: TweakManager) -> Bool {
    self === manager || providers.contains { ($0 as? TweakManager)?.reaches(manager) ?? false }
  }
}

/// A provider of a manager, with the parts that the manager uses often.
final class TweakSource: Sendable {
  let provider: any TweakProvider
  let name: String
  let mutable: (any MutableTweakProvider)?
  let table: Property<TweakTable>

  /// A Boolean value that indicates whether the provider is asked, so that the table may not report what a write changes.
  let isAsked: Bool

  /// The subscriptions that end when the provider is removed.
  let subscriptions: [SignalSubscription]

  init(
    _ provider: any TweakProvider, following follow: (any TweakProvider, Property<TweakTable>) -> [SignalSubscription]
  ) {
    self.provider = provider
    name = provider.name
    mutable = provider as? any MutableTweakProvider
    table = provider.table
    isAsked = table.value.isAsked
    subscriptions = follow(provider, table)
  }
}

/// The providers of a manager, the most important first, and what the manager has followed of their tables.
struct TweakSources: Sendable {
  private(set) var all: [TweakSource] = []

  /// The moments of the tables that the manager has followed, at the same indices.
  private var moments: [TweakTable.Moment] = []

  /// The number of changes to the array of providers.
  private(set) var generation = 0

  /// Adds providers, what changes in whose tables after their moments is followed.
  mutating func insert(_ new: [TweakSource], _ newMoments: [TweakTable.Moment], at index: Int) {
    let index = max(0, min(index, all.count))
    all.insert(contentsOf: new, at: index)
    moments.insert(contentsOf: newMoments, at: index)
    generation += 1
  }

  /// Removes the providers of a name, and returns them.
  mutating func remove(named name: String) -> [TweakSource] {
    let removed = all.filter { $0.name == name }
    moments = zip(all, moments).filter { $0.0.name != name }.map(\.1)
    all.removeAll { $0.name == name }
    generation += 1
    return removed
  }

  /// Returns what has changed in the tables since the manager followed them.
  func changes(in tables: [TweakTable]) -> TweakUpdate {
    var update = TweakUpdate.nothing
    for index in all.indices { update.formUnion(tables[index].changes(since: moments[index])) }
    return update
  }

  /// Returns whether the manager has followed a later table than one of these.
  func haveFollowed(later tables: [TweakTable]) -> Bool {
    all.indices.contains { moments[$0].isAfter(tables[$0]) }
  }

  /// Returns whether the manager has followed a table that has replaced one of these, or that one of these replaces.
  func haveFollowed(other tables: [TweakTable]) -> Bool {
    all.indices.contains { !moments[$0].hasOrigin(of: tables[$0]) }
  }

  /// Returns whether the manager has followed a table of a provider.
  func haveFollowed(_ table: TweakTable, of source: TweakSource) -> Bool {
    all.indices.contains { all[$0] === source && moments[$0] == table.moment }
  }

  /// Forgets what the manager has followed of the tables that are older than that, so that all of them is followed.
  mutating func forget(later tables: [TweakTable]) {
    for index in all.indices where moments[index].isAfter(tables[index]) { moments[index] = TweakTable().moment }
  }

  /// Marks the changes in the tables as followed.
  mutating func follow(_ tables: [TweakTable]) {
    for index in all.indices where !moments[index].isAfter(tables[index]) { moments[index] = tables[index].moment }
  }
}

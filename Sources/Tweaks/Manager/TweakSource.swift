import Signals

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

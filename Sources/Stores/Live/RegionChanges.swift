/// The changes during a read.
struct RegionChanges {
  /// The number of change sets that are kept; more count as a change of everything.
  private static let limit = 64

  private var sets: [ChangeSet] = []
  private var isEverything = false

  mutating func insert(_ changes: ChangeSet) {
    if isEverything { return }
    sets.append(changes)
    if sets.count > Self.limit { insertEverything() }
  }

  mutating func insertEverything() {
    isEverything = true
    sets = []
  }

  /// Returns a Boolean value that indicates whether one of the changes may concern a region.
  func touch(_ region: ObservedRegion) -> Bool {
    isEverything || sets.contains(where: region.isTouched)
  }
}

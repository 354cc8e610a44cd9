/// A directory that has to be watched in order to watch a path.
final class WatchPoint: Sendable {
  /// The depth of detail in which a directory is watched.
  enum Depth: Sendable, Comparable {
    /// Only moves and the removal of the directory itself, so that a busy directory further up costs nothing.
    case itself
    /// Also the removal of its entries.
    case removals
    /// Also all other changes of its entries.
    case entries
    /// Also each write to an entry, before the writer closes it.
    case contents
  }

  let place: WatchPlan.Place
  /// For a directory below the target, its path relative to the target.
  let inner: String?
  weak let watch: PathChanges?
  /// The identity of the owner.
  let owner: ObjectIdentifier

  init(_ place: WatchPlan.Place, inner: String? = nil, watch: PathChanges) {
    self.place = place
    self.inner = inner
    self.watch = watch
    owner = ObjectIdentifier(watch)
  }

  /// The names of the relevant entries, or `nil` if all may be relevant.
  var names: Set<String>? {
    if place.isTarget || inner != nil { return nil }
    return place.leaf.map { place.hinges.union([$0]) } ?? place.hinges
  }

  /// Returns a Boolean value that indicates whether an event is relevant.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of the event.
  ///   - name: The entry's name, or `nil` if the event is about the directory itself.
  /// - Returns: `true` if the event is to be delivered.
  func wants(_ kinds: WatchKinds, _ name: String?) -> Bool {
    guard let name, kinds.isDisjoint(with: .structural) else { return true }
    guard place.depth != .itself else { return false }
    // All watches of a directory share one mask, so this event also reaches watches that did not request it.
    if kinds == .appended, place.depth != .contents { return false }
    if place.isTarget || inner != nil { return name != FileLocation.sharedFolder }
    return place.leaf == name || place.hinges.contains(name)
  }
}

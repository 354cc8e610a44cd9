/// One directory that has to be watched in order to watch a path.
final class WatchPoint: Sendable {
  /// How closely a directory is watched.
  enum Depth: Sendable, Comparable {
    /// Only whether it is moved or removed itself: a busy directory far above costs nothing.
    case itself
    /// Which of its entries are removed, too.
    case removals
    /// What happens to its entries, too.
    case entries
    /// Each write into an entry, too, before the writer closes it.
    case contents
  }

  let place: WatchPlan.Place
  /// For a directory below the target, its path from there on.
  let inner: String?
  weak let watch: PathChanges?

  init(_ place: WatchPlan.Place, inner: String? = nil, watch: PathChanges) {
    self.place = place
    self.inner = inner
    self.watch = watch
  }

  /// The entries that may be of interest; `nil` if all may be.
  var names: Set<String>? {
    if place.isTarget || inner != nil { return nil }
    return place.leaf.map { place.hinges.union([$0]) } ?? place.hinges
  }

  /// Whether an event is of any interest.
  ///
  /// - Parameters:
  ///   - kinds: What happened.
  ///   - name: The entry's name, or `nil` if it is about the directory itself.
  /// - Returns: Whether to hand it on.
  func wants(_ kinds: WatchKinds, _ name: String?) -> Bool {
    guard let name, kinds.isDisjoint(with: .structural) else { return true }
    guard place.depth != .itself else { return false }
    // All who watch a directory share one mask, so this comes to those who did not ask for it, too.
    if kinds == .appended, place.depth != .contents { return false }
    if place.isTarget || inner != nil { return name != FileLocation.sharedFolder }
    return place.leaf == name || place.hinges.contains(name)
  }
}

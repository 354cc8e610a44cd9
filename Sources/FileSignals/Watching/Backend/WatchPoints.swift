/// The watches of one directory, indexed by the entries they wait for.
///
/// An event is for few of them, however many files of the directory are observed.
struct WatchPoints {
  private var points: [WatchToken: WatchPoint] = [:]
  /// The watches for which any entry may be relevant.
  private var openMinded: Set<WatchToken> = []
  /// The other watches, by the names of their relevant entries.
  private var byName: [String: Set<WatchToken>] = [:]

  var isEmpty: Bool { points.isEmpty }
  var tokens: some Collection<WatchToken> { points.keys }
  var all: some Collection<WatchPoint> { points.values }

  mutating func add(_ point: WatchPoint, _ token: WatchToken) {
    points[token] = point
    guard let names = point.names else { return _ = openMinded.insert(token) }
    for name in names { byName[name, default: []].insert(token) }
  }

  mutating func remove(_ token: WatchToken) -> WatchPoint? {
    guard let point = points.removeValue(forKey: token) else { return nil }
    openMinded.remove(token)
    for name in point.names ?? [] {
      byName[name]?.remove(token)
      if byName[name]?.isEmpty == true { byName[name] = nil }
    }
    return point
  }

  /// Calls a closure with each point for which an event is relevant, and with the entry's name.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of the event.
  ///   - bytes: The bytes of the entry's name; empty if the event is about the directory itself.
  ///   - body: The closure to call.
  func forEach(
    wanting kinds: WatchKinds, _ bytes: some Collection<UInt8>, _ body: (WatchPoint, String?) -> Void
  ) {
    let name = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    guard let name, kinds.isDisjoint(with: .structural) else {
      for point in points.values where point.wants(kinds, name) { body(point, name) }
      return
    }
    for tokens in [openMinded, byName[name] ?? []] {
      for token in tokens {
        if let point = points[token], point.wants(kinds, name) { body(point, name) }
      }
    }
  }
}

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

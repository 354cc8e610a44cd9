import Foundation

/// The ranges of keys that are followed, with their followers.
struct OpenRanges: Sendable {
  private struct Entry: Sendable {
    weak var follower: (any RangeFollower)?
    let identity: ObjectIdentifier
  }

  private var entries: [KeyRange: [Entry]] = [:]
  /// The beginnings of the ranges with more than one key, all of which each delivery looks at.
  private var prefixes: Set<Data> = []

  /// The ranges that were opened after the last complete read began.
  private(set) var unread: Set<KeyRange> = []

  var isEmpty: Bool { entries.isEmpty }

  /// All followers.
  var all: [any RangeFollower] { entries.values.flatMap { $0.compactMap(\.follower) } }

  /// Adds a follower, whose range has to be read.
  mutating func add(_ follower: any RangeFollower, for range: KeyRange) {
    entries[range, default: []].append(Entry(follower: follower, identity: ObjectIdentifier(follower)))
    if case .prefix(let prefix) = range { prefixes.insert(prefix) }
    unread.insert(range)
  }

  /// Removes a follower that is being released.
  mutating func remove(_ identity: ObjectIdentifier, for range: KeyRange) {
    entries[range]?.removeAll { $0.identity == identity }
    guard entries[range]?.isEmpty == true else { return }
    entries[range] = nil
    unread.remove(range)
    if case .prefix(let prefix) = range { prefixes.remove(prefix) }
  }

  /// The followers of a range.
  func followers(of range: KeyRange) -> [any RangeFollower] {
    entries[range]?.compactMap(\.follower) ?? []
  }

  /// Returns each follower with the events of its range, those of many keys first.
  func deliveries(of events: some Collection<WatchEvent>) -> [(any RangeFollower, [WatchEvent])] {
    let ofMany = prefixes.flatMap { prefix -> [(any RangeFollower, [WatchEvent])] in
      let own = events.filter { $0.entry.key.starts(with: prefix) }
      return own.isEmpty ? [] : followers(of: .prefix(prefix)).map { ($0, own) }
    }
    return ofMany + events.flatMap { event in followers(of: .key(event.entry.key)).map { ($0, [event]) } }
  }

  /// Returns all ranges, because they are about to be read.
  mutating func takeAll() -> [KeyRange] {
    unread = []
    return Array(entries.keys)
  }

  /// Returns ranges that have not been read, at most `limit`.
  mutating func takeUnread(limit: Int) -> [KeyRange] {
    let ranges = Array(unread.prefix(limit))
    unread.subtract(ranges)
    return ranges
  }

  /// Records that ranges could not be read, unless they have been closed.
  mutating func markUnread(_ ranges: [KeyRange]) {
    unread.formUnion(ranges.filter { entries[$0] != nil })
  }
}

/// A range of keys: one key, or all keys that have the same beginning.
enum KeyRange: Hashable, Sendable {
  case key(Data)
  case prefix(Data)
}

/// An object that keeps in step with a range of keys.
///
/// It is no subscriber, because it also says when the range was read, is lost and must be read again.
protocol RangeFollower: AnyObject, Sendable {
  /// Applies changes of one revision, unless it knows newer ones.
  func receive(_ events: [WatchEvent])

  /// Applies a complete read of the range at a revision, unless the era in which it began is over.
  func replace(with entries: [EtcdEntry], at revision: Int64, era: Int)

  /// Accepts any revision from now on, because the revisions of the cluster have begun anew.
  func beginEra()

  /// Records that the range could not be read.
  func fail(_ error: ClusterError)
}

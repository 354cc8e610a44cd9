import Foundation

/// The ranges of keys that are followed, with their followers.
struct OpenRanges: Sendable {
  private struct Entry: Sendable {
    weak var follower: (any RangeFollower)?
    let identity: ObjectIdentifier
  }

  private var entries: [Data: [Entry]] = [:]

  /// The ranges that were opened after the last complete read began.
  private(set) var unread: Set<Data> = []

  var isEmpty: Bool { entries.isEmpty }

  /// The beginnings of the keys of all ranges.
  var prefixes: [Data] { Array(entries.keys) }

  /// All followers.
  var all: [any RangeFollower] { entries.values.flatMap { $0.compactMap(\.follower) } }

  /// Adds a follower, whose range has to be read.
  mutating func add(_ follower: any RangeFollower, for prefix: Data) {
    entries[prefix, default: []].append(Entry(follower: follower, identity: ObjectIdentifier(follower)))
    unread.insert(prefix)
  }

  /// Removes a follower that is being released.
  mutating func remove(_ identity: ObjectIdentifier, for prefix: Data) {
    entries[prefix]?.removeAll { $0.identity == identity }
    if entries[prefix]?.isEmpty == true {
      entries[prefix] = nil
      unread.remove(prefix)
    }
  }

  /// The followers of a range.
  func followers(of prefix: Data) -> [any RangeFollower] {
    entries[prefix]?.compactMap(\.follower) ?? []
  }

  /// Returns each follower with the events of its range.
  func deliveries(of events: some Collection<WatchEvent>) -> [(any RangeFollower, [WatchEvent])] {
    guard !entries.isEmpty else { return [] }
    return entries.flatMap { prefix, entries -> [(any RangeFollower, [WatchEvent])] in
      let own = events.filter { $0.entry.key.starts(with: prefix) }
      return own.isEmpty ? [] : entries.compactMap(\.follower).map { ($0, own) }
    }
  }

  /// Returns all ranges, because they are about to be read.
  mutating func takeAll() -> [Data] {
    unread = []
    return prefixes
  }

  /// Returns the ranges that have not been read.
  mutating func takeUnread() -> [Data] {
    defer { unread = [] }
    return Array(unread)
  }

  /// Records that ranges could not be read, unless they have been closed.
  mutating func markUnread(_ prefixes: [Data]) {
    unread.formUnion(prefixes.filter { entries[$0] != nil })
  }
}

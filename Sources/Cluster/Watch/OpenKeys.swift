import Foundation

/// The keys that are followed, with their followers.
struct OpenKeys: Sendable {
  private struct Entry: Sendable {
    weak var follower: (any KeyFollower)?
    let identity: ObjectIdentifier
  }

  private var entries: [Data: [Entry]] = [:]

  /// The keys that were opened after the last complete read began.
  private(set) var unread: Set<Data> = []

  var isEmpty: Bool { entries.isEmpty }

  /// All keys that are followed.
  var keys: [Data] { Array(entries.keys) }

  /// Adds a follower, whose key has to be read.
  mutating func add(_ follower: any KeyFollower, for key: Data) {
    entries[key, default: []].append(Entry(follower: follower, identity: ObjectIdentifier(follower)))
    unread.insert(key)
  }

  /// Removes a follower that is being released.
  mutating func remove(_ identity: ObjectIdentifier, for key: Data) {
    entries[key]?.removeAll { $0.identity == identity }
    if entries[key]?.isEmpty == true {
      entries[key] = nil
      unread.remove(key)
    }
  }

  /// The followers of a key.
  func followers(of key: Data) -> [any KeyFollower] {
    entries[key]?.compactMap(\.follower) ?? []
  }

  /// All followers.
  var all: [any KeyFollower] { entries.values.flatMap { $0.compactMap(\.follower) } }

  /// Returns all keys, because they are about to be read.
  mutating func takeAll() -> [Data] {
    unread = []
    return keys
  }

  /// Records that keys could not be read, unless they have been closed.
  mutating func markUnread(_ keys: [Data]) {
    unread.formUnion(keys.filter { entries[$0] != nil })
  }

  /// Returns the keys that have not been read, at most `limit`.
  mutating func takeUnread(limit: Int) -> [Data] {
    let keys = Array(unread.prefix(limit))
    unread.subtract(keys)
    return keys
  }
}

import Foundation

/// The entries of a range of keys, ordered by revisions.
///
/// It consists of values only. Complete reads, events of the watch, and changes of this process may arrive in any order
/// relative to each other.
struct RangeEntries: Sendable {
  /// The entries by the part of their key after the beginning that all have.
  private(set) var entries: [Data: EtcdEntry] = [:]

  /// The revision up to which the entries are complete; `nil` before the first complete read.
  private(set) var revision: Int64?

  /// The revisions of the changes that are newer than that, deletions included.
  private(set) var changes: [Data: Int64] = [:]

  /// Applies a change, unless a newer one is known.
  ///
  /// - Returns: `true` if it was applied.
  mutating func apply(_ name: Data, _ entry: EtcdEntry?, at revision: Int64) -> Bool {
    guard revision > max(self.revision ?? 0, changes[name] ?? 0) else { return false }
    changes[name] = revision
    entries[name] = entry
    return true
  }

  /// Records that the watch has delivered all changes before a revision, because it delivers in order.
  mutating func advance(to revision: Int64) {
    guard let known = self.revision, revision - 1 > known else { return }
    self.revision = revision - 1
    // Otherwise each name that ever existed would stay in memory.
    if changes.count > 32 { changes = changes.filter { $0.value >= revision } }
  }

  /// Applies a complete read, except for the keys with newer changes.
  ///
  /// - Returns: `true` if it was applied.
  mutating func replace(with read: [Data: EtcdEntry], at revision: Int64) -> Bool {
    if let known = self.revision, known > revision { return false }
    changes = changes.filter { $0.value > revision }
    var entries = read
    for name in changes.keys { entries[name] = self.entries[name] }
    self.entries = entries
    self.revision = revision
    return true
  }

  /// Accepts any revision from now on.
  mutating func beginEra() {
    (revision, changes) = (nil, [:])
  }
}

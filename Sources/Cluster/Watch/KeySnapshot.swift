import Foundation

/// The state of keys at one revision.
struct KeySnapshot: Sendable {
  /// The header of the read; its revision holds for the whole snapshot.
  var header: EtcdHeader

  /// All entries of each range that was read; none for a key that does not exist.
  var entries: [KeyRange: [EtcdEntry]]

  /// The number of the era in which the read began; see ``WatchMachine/era``.
  var era: Int
}

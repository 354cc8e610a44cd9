import Foundation

/// The state of keys at one revision.
struct KeySnapshot: Sendable {
  /// The header of the read; its revision holds for the whole snapshot.
  var header: EtcdHeader

  /// The entry of each key that was read; `nil` for a key that does not exist.
  var entries: [Data: EtcdEntry?]

  /// All entries of each range that was read, by the beginning of its keys.
  var ranges: [Data: [EtcdEntry]] = [:]

  /// The number of the era in which the read began; see ``WatchMachine/era``.
  var era: Int
}

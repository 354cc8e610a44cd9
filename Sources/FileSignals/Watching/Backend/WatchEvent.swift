/// Something that a backend saw.
struct WatchEvent: Sendable {
  let kinds: WatchKinds
  /// The entry of the directory, or `nil` if it is about the directory itself.
  let name: String?
  let point: WatchPoint
}

/// What happened, as a backend tells it.
struct WatchKinds: OptionSet, Sendable, Hashable {
  let rawValue: UInt16

  /// An entry was made, by creating it or by linking to it.
  static let created = WatchKinds(rawValue: 1 << 0)
  /// An entry came by renaming, perhaps over another.
  static let movedIn = WatchKinds(rawValue: 1 << 1)
  /// A file that had been open for writing was closed.
  static let written = WatchKinds(rawValue: 1 << 2)
  static let removed = WatchKinds(rawValue: 1 << 3)
  static let movedOut = WatchKinds(rawValue: 1 << 4)
  static let attributes = WatchKinds(rawValue: 1 << 5)
  /// The directory itself was moved; the watch goes with it.
  static let selfMoved = WatchKinds(rawValue: 1 << 6)
  /// The watch is over, because the directory is gone or unmounted.
  static let selfGone = WatchKinds(rawValue: 1 << 7)
  /// Events were lost, for whatever path.
  static let overflow = WatchKinds(rawValue: 1 << 8)
  /// Something changed in the directory, or in the file, and the system does not say what.
  static let changed = WatchKinds(rawValue: 1 << 9)
  /// Something was written into a file, which may still be open.
  static let appended = WatchKinds(rawValue: 1 << 10)

  /// After these the path may lead elsewhere than before.
  static let structural: WatchKinds = [.selfMoved, .selfGone, .overflow]
}

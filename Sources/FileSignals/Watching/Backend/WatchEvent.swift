/// An event that a backend reports.
struct WatchEvent: Sendable {
  let kinds: WatchKinds
  /// The entry of the directory, or `nil` if the event is about the directory itself.
  let name: String?
  let point: WatchPoint
}

/// The kinds of changes that a backend reports.
struct WatchKinds: OptionSet, Sendable, Hashable {
  let rawValue: UInt16

  /// An entry was created, as a new file or as a hard link.
  static let created = WatchKinds(rawValue: 1 << 0)
  /// An entry was moved here, possibly replacing another.
  static let movedIn = WatchKinds(rawValue: 1 << 1)
  /// A file that had been open for writing was closed.
  static let written = WatchKinds(rawValue: 1 << 2)
  static let removed = WatchKinds(rawValue: 1 << 3)
  static let movedOut = WatchKinds(rawValue: 1 << 4)
  static let attributes = WatchKinds(rawValue: 1 << 5)
  /// The directory itself was moved; the watch follows it.
  static let selfMoved = WatchKinds(rawValue: 1 << 6)
  /// The watch has ended, because the directory has been removed or unmounted.
  static let selfGone = WatchKinds(rawValue: 1 << 7)
  /// Events of any path were lost.
  static let overflow = WatchKinds(rawValue: 1 << 8)
  /// Something changed in the directory or in the file, and the system does not report what.
  static let changed = WatchKinds(rawValue: 1 << 9)
  /// Something was written into a file, which may still be open.
  static let appended = WatchKinds(rawValue: 1 << 10)

  /// The kinds after which the path may lead elsewhere.
  static let structural: WatchKinds = [.selfMoved, .selfGone, .overflow]
}

/// The system's mechanism for reporting changes in directories.
///
/// A backend passes events to the points' owners with ``PathChanges/take(_:)``, in order. It then calls the owners on a
/// thread of its own, with no lock held.
protocol WatchBackend: AnyObject, Sendable {
  /// Starts to watch a directory for a point.
  ///
  /// From then on, nothing is missed.
  ///
  /// - Parameters:
  ///   - point: The directory and its observer.
  ///   - descriptor: The directory, if it is already open, since its path may already lead to another one.
  /// - Returns: The token that ends the watch.
  /// - Throws: ``FileObserverError`` if it cannot be watched.
  func add(_ point: WatchPoint, opened descriptor: CInt?) throws(FileObserverError) -> WatchToken

  /// Ends the watch of a point.
  ///
  /// Does nothing if the watch has ended by itself.
  func remove(_ token: WatchToken)

  /// Prevents the backend from waking up, while the caller changes something, until ``unmuffle()``.
  func muffle()

  /// Passes on the events that have gathered, on this thread.
  ///
  /// - Returns: The observers that the caller must call when no lock is held.
  func drain() -> Batches

  /// Lets the backend wake up again.
  func unmuffle()

  /// Continues to wait for events, if the backend rests because the owner of an observer has paused.
  func endRest()

  /// The number of times that the backend has woken up.
  var wakeCount: Int { get }

  /// Prevents the backend from delivering events while a closure runs, to simulate a machine under load.
  func stall(during body: () throws -> Void) rethrows
}

extension WatchBackend {
  func muffle() {}
  func drain() -> Batches { Batches() }
  func unmuffle() {}
  func endRest() {}
}

/// An identifier of one point in a backend.
struct WatchToken: Hashable, Sendable {
  let number: Int
}

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

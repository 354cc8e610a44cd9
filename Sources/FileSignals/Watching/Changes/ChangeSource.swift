package import Signals

/// A signal of changes, with controls for a subscriber that also changes the path itself.
///
/// The controls do nothing by default, so that an `Emitter` can replace the kernel in tests.
package protocol ChangeSource: Signal<PathChange, Never> {
  /// Lets changes gather until the matching call of ``resume()``, but not for long.
  func pause()

  /// Delivers the changes that have gathered.
  func resume()

  /// Runs a closure that replaces the file, without waking a thread of this process for that change.
  ///
  /// Called while changes gather. It may be called with a lock held, because it calls no subscriber.
  ///
  /// - Parameters:
  ///   - change: The closure.
  ///   - isKnown: A closure that is called once after the change, and returns whether the path leads to its result. The
  ///     replacements of the file up to then are not delivered in that case.
  /// - Returns: The result of `isKnown`, and changes of other paths, to be delivered when no lock is held.
  /// - Throws: The error of `change`.
  func quietly<Failure: Error>(
    _ change: () throws(Failure) -> Void, isKnown: () -> Bool
  ) throws(Failure) -> QuietChange

  /// Sets the files of the directory that are going to be written, for systems that need one watch per file.
  ///
  /// Called on the queue.
  ///
  /// - Parameter names: The names of the files. Files that are not included are no longer followed.
  /// - Returns: The files to check, because they may have been written before they were watched.
  func follow(_ names: Set<String>) -> Set<String>

  /// The ability of the watch to detect changes.
  var health: Property<WatchHealth> { get }

  /// A Boolean value that indicates whether the health is active, which is cheaper to read.
  var isActive: Bool { get }
}

extension ChangeSource {
  package func pause() {}

  package func resume() {}

  package func quietly<Failure: Error>(
    _ change: () throws(Failure) -> Void, isKnown: () -> Bool
  ) throws(Failure) -> QuietChange {
    try change()
    return QuietChange(isKnown: isKnown())
  }

  package func follow(_ names: Set<String>) -> Set<String> { [] }

  package var health: Property<WatchHealth> { .constant(.active) }

  package var isActive: Bool { health.value == .active }
}

extension Emitter: ChangeSource where Element == PathChange, Failure == Never {}

/// The result of a change that woke no thread of this process.
package struct QuietChange: Sendable {
  /// A Boolean value that indicates whether the path led to the result of the change afterwards.
  package let isKnown: Bool

  /// The events of other paths, which were read together with those of the change.
  private let others: Batches?

  package init(isKnown: Bool) {
    self.isKnown = isKnown
    others = nil
  }

  init(isKnown: Bool, _ others: Batches?) {
    self.isKnown = isKnown
    self.others = others
  }

  /// Delivers the events of other paths.
  package func deliverOthers() { others?.schedule() }
}

/// All changes of a path since its subscribers were last called.
package struct PathChange: Sendable {
  /// The events of the file, or of the directory and its entries, in order.
  var events: [WatchEvent]
  /// The set of watched directories has changed, so events in between were not detected.
  var isRearmed = false
  /// The system lost events.
  var isOverflow = false
  /// Nothing was reported, and it is time to poll.
  var isPoll = false

  /// The name of a file that only its own watch has reported as written.
  var followed: String?
}

extension PathChange {
  /// Creates the change of a file of the directory that was written.
  package init(written name: String) {
    self.init(events: [], followed: name)
  }

  /// The names of the files of the directory that were only written.
  package var written: [String] {
    var names = followed.map { [$0] } ?? []
    for event in events where event.isWrite {
      // Repeated writes to a file count once.
      guard let name = event.name, names.last != name, !names.contains(name) else { continue }
      names.append(name)
    }
    return names
  }

  /// The entries of the directory that changed in any way other than by removal.
  package var touched: Set<String> {
    var names = Set(followed.map { [$0] } ?? [])
    for event in events where event.point.place.isTarget && !event.kinds.isSubset(of: [.removed, .movedOut]) {
      if let name = event.name { names.insert(name) }
    }
    return names
  }

  /// A Boolean value that indicates whether changes may have been missed, because events were lost or other directories
  /// are watched.
  package var isIncomplete: Bool { isRearmed || isOverflow }

  /// A Boolean value that indicates whether files may have appeared or disappeared, or events were lost, so that
  /// everything must be checked.
  package var isStructural: Bool {
    isRearmed || isOverflow || isPoll || !events.allSatisfy(\.isWrite)
  }
}

extension WatchEvent {
  /// A Boolean value that indicates whether the event is only about the content of an entry.
  fileprivate var isWrite: Bool {
    point.place.isTarget && name != nil && kinds.isDisjoint(with: [.created, .movedIn, .removed, .movedOut, .changed])
  }
}

/// Support for subscribers that change the file themselves and therefore know its new content.
extension PathChanges {
  package func pause() {
    pending.withLock { $0.pause() }
  }

  package func resume() {
    let (isDue, endsRest) = pending.withLock { $0.endPause() }
    if endsRest { wakingBackend?.endRest() }
    if isDue { enqueue() }
  }

  private func isReplacement(_ event: WatchEvent) -> Bool {
    let place = event.point.place
    guard let name = event.name, event.kinds == .movedIn else { return false }
    return name == place.leaf && !place.hinges.contains(name)
  }

  package func follow(_ names: Set<String>) -> Set<String> {
    followed?.follow(names) ?? []
  }

  package func quietly<Failure: Error>(
    _ change: () throws(Failure) -> Void, isKnown: () -> Bool
  ) throws(Failure) -> QuietChange {
    let backend = wakingBackend
    backend?.muffle()
    defer { backend?.unmuffle() }
    try change()
    let others = backend?.drain()
    // Taken before the check, so that later events gather again.
    let events = pending.withLock { $0.take(where: isReplacement) }
    let isKnown = isKnown()
    if !isKnown { pending.withLock { $0.putBack(events) } }
    return QuietChange(isKnown: isKnown, others)
  }

  /// Lets the changes of the whole source gather without waking a thread, until the token is cancelled or released.
  func rest() -> SignalSubscription {
    guard let backend = wakingBackend else { return SignalSubscription {} }
    backend.muffle()
    return SignalSubscription {
      backend.drain().schedule()
      backend.unmuffle()
    }
  }

  /// The backend that wakes threads for events, if there is one.
  private var wakingBackend: (any WatchBackend)? {
    guard !polling.isForced else { return nil }
    // The path is polled, and its health reports the reason.
    return tolerating(try source.backend(), else: nil)
  }
}

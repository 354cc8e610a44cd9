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

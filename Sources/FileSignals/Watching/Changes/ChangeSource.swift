package import Signals

/// A signal of changes, with the controls that a subscriber needs that also changes the path itself.
///
/// The controls do nothing by default, so that an `Emitter` can stand in for the kernel in tests.
package protocol ChangeSource: Signal<PathChange, Never> {
  /// Lets changes only gather, until ``resume(unless:)`` has been called as often, though not for long.
  func pause()

  /// Delivers what has gathered, unless the only change is a replacement whose content is already known.
  ///
  /// - Parameter isKnown: Looks whether the content is known, without following a link.
  func resume(unless isKnown: () -> Bool)

  /// Runs a closure that changes the path in a moment; no thread of this process is woken because of it.
  func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result

  /// Names the files of the directory that are going to be written into, for systems that have to be told; on the
  /// queue.
  ///
  /// - Parameter names: The files. Those named before and not now are no longer of interest.
  /// - Returns: The files to look at, because something may have been written before they were watched.
  func follow(_ names: Set<String>) -> Set<String>

  /// Whether changes are seen.
  var health: Property<WatchHealth> { get }
}

extension ChangeSource {
  package func pause() {}

  package func resume(unless isKnown: () -> Bool) {}

  package func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
    try change()
  }

  package func follow(_ names: Set<String>) -> Set<String> { [] }

  package var health: Property<WatchHealth> { .constant(.active) }
}

extension Emitter: ChangeSource where Element == PathChange, Failure == Never {}

package import Signals

/// A signal of changes, with controls for a subscriber that also changes the path itself.
///
/// The controls do nothing by default, so that an `Emitter` can replace the kernel in tests.
package protocol ChangeSource: Signal<PathChange, Never> {
  /// Holds changes back, for a short time, until the matching call of ``resume(unless:)``.
  func pause()

  /// Delivers the changes that were held back, unless the only change is a replacement whose content is already known.
  ///
  /// - Parameter isKnown: A closure that checks whether the content is known, without following a link.
  func resume(unless isKnown: () -> Bool)

  /// Runs a closure that changes the path, without waking a thread of this process for that change.
  func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result

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

  package func resume(unless isKnown: () -> Bool) {}

  package func quietly<Result, Failure: Error>(_ change: () throws(Failure) -> Result) throws(Failure) -> Result {
    try change()
  }

  package func follow(_ names: Set<String>) -> Set<String> { [] }

  package var health: Property<WatchHealth> { .constant(.active) }
}

extension Emitter: ChangeSource where Element == PathChange, Failure == Never {}

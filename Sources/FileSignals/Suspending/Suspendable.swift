public import Foundation

/// An object that takes part in the suspensions of a directory, because it holds a lock there for longer than one
/// operation, or must read again afterwards.
///
/// Each method runs on a thread of its own and may block, and each object's methods run one after another:
///
/// ```
///   endWork    long work under way ends, and is saved; locks may still be acquired
///              ── new locks are refused ──
///   release    all locks are released
///              ── locks are allowed again ──
///   resume     the object acquires its locks again, and catches up
/// ```
package protocol Suspendable: AnyObject, Sendable {
  /// The place of the object among all objects that are resumed.
  var suspensionStage: SuspensionStage { get }

  /// A Boolean value that indicates whether the calling thread is inside an operation that a suspension waits for.
  var delaysSuspensionOnThisThread: Bool { get }

  /// Ends work that holds locks for longer than one operation, and refuses such work until
  /// ``resumeAfterSuspension()``.
  func endWorkForSuspension()

  /// Releases all locks; no new ones can be acquired.
  func releaseForSuspension()

  /// Acquires the locks again, and catches up with the changes of other processes.
  ///
  /// - Throws: The reason why the object cannot continue.
  func resumeAfterSuspension() throws
}

extension Suspendable {
  package var suspensionStage: SuspensionStage { .holders }
  package var delaysSuspensionOnThisThread: Bool { false }
  package func endWorkForSuspension() {}
  package func releaseForSuspension() {}
}

/// The order in which objects are resumed.
package enum SuspensionStage: Int, Sendable, Comparable, CaseIterable {
  /// Objects that determine the contents of a directory for all others.
  case roots

  /// Objects that hold locks.
  case holders

  /// Objects that hold no locks, and only read again.
  ///
  /// Their other methods are not called, and ``Suspendable/resumeAfterSuspension()`` must not block.
  case readers

  package static func < (first: SuspensionStage, second: SuspensionStage) -> Bool { first.rawValue < second.rawValue }
}

/// A step of the suspension of a directory, or of its end.
package enum SuspensionStep: Sendable {
  /// Locks for longer than one operation are refused.
  case preparing

  /// An object is about to end its long work, or has ended it.
  case endingWork, endedWork

  /// All locks are refused.
  case suspended

  /// An object is about to release its locks, or has released them.
  case releasing, released

  /// No lock of this process is held in the directory.
  case unlocked

  /// Locks are allowed again.
  case opened

  /// An object is about to continue, or has continued.
  case resuming, resumed
}

/// An error in suspending or resuming the work of a process in a directory.
@nonexhaustive
public enum SuspensionError: Error, Hashable, Sendable {
  /// The call came from inside an operation in the directory, and would wait for it.
  case nested(URL)

  /// Work under way in the directory has not ended in time, and still holds locks of the `files`.
  ///
  /// New work is refused all the same, and each of the locks is released when its work ends.
  case stillBusy(URL, files: [String], after: Duration)

  /// Some objects could not continue, for the given reasons; all others continue.
  case notResumed(URL, reasons: [String])
}

extension SuspensionError: CustomStringConvertible, LocalizedError {
  /// A description of the operation, the directory, the cause and the remedy.
  public var description: String {
    switch self {
    case .nested(let url):
      "Can't suspend \(url.path) inside an update, a transaction or a lock of a file in it. Suspend it after that "
        + "operation has returned."
    case .stillBusy(let url, let files, let limit):
      "Could not suspend \(url.path) within \(limit): work under way still uses \(files.joined(separator: ", ")). New "
        + "work is refused. Let that work end, and suspend again to wait for it."
    case .notResumed(let url, let reasons):
      "Resumed \(url.path), except for: \(reasons.joined(separator: " ")) Remove the cause, and resume again."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

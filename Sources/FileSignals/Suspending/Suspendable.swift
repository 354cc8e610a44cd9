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

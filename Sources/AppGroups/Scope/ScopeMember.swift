package import FileSignals
import Signals

/// A live value that takes part in the switches of a ``Scope``.
///
/// A switch has five steps, all on one thread. All members finish a step before the next one begins:
///
/// ```
///   hold      work in progress ends, and new work waits; if one member takes long, all others are let go again
///   settle    the member closes and saves what it must
///             ── the contents are switched ──
///   prepare   the member reads its new content into a ``PreparedSwitch``; nothing is sent
///   publish   what was read is stored, in a batch with that of all others
///   resume    waiting work continues; then the batch is sent
/// ```
package protocol ScopeMember: AnyObject, Sendable {
  /// A Boolean value that indicates whether this thread is inside an operation for which a switch waits.
  ///
  /// The default is `false`.
  var delaysSwitchOnThisThread: Bool { get }

  /// The place of the member among all members.
  var switchStage: ScopeStage { get }

  /// Finishes the work in progress, and keeps new work waiting until the ``PreparedSwitch`` is published or resumed.
  ///
  /// - Parameter patience: The longest time to wait for the work in progress, or `nil` to wait as long as it takes.
  ///   That work may itself wait for a member that is already held, so only the first member is waited for without a
  ///   limit.
  /// - Returns: `false` if the work takes longer; the member is then not held.
  /// - Throws: The reason why the contents cannot be switched now. Then no member is held, and nothing is switched.
  func holdForSwitch(within patience: Duration?) throws -> Bool

  /// Undoes ``holdForSwitch(within:)``, because another member takes too long or refuses.
  ///
  /// The default implementation does nothing.
  func letGo()

  /// Saves and closes everything that must not be open during the switch.
  ///
  /// The default implementation does nothing.
  func settleForSwitch()

  /// Reads the content after the attempt.
  ///
  /// No error stops the switch, because it has already happened. A member that cannot read its content publishes the
  /// error as its status.
  ///
  /// - Returns: The content, which the member itself does not store yet.
  func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch
}

extension ScopeMember {
  package var delaysSwitchOnThisThread: Bool { false }
  package var switchStage: ScopeStage { .contents }
  package func holdForSwitch(within patience: Duration?) throws -> Bool { true }
  package func letGo() {}
  package func settleForSwitch() {}
}

/// The second half of a switch of one member, which owns what the first half has read.
///
/// It is published, and then resumed.
package struct PreparedSwitch {
  private let onPublish: (ScopeChanges) -> Void
  private let onResume: () -> Void

  /// Creates the second half of a switch, on the thread that switches.
  ///
  /// - Parameters:
  ///   - publish: Stores what was read. It runs inside a batch, so properties send nothing yet. Other events are sent
  ///     through ``ScopeChanges/afterwards(_:)``.
  ///   - resume: Lets waiting work continue, after all members have stored their content.
  package init(
    publish: @escaping (ScopeChanges) -> Void = { _ in }, resume: @escaping () -> Void = {}
  ) {
    (onPublish, onResume) = (publish, resume)
  }

  /// Stores what was read, as a part of a change.
  package func publish(into changes: ScopeChanges) { onPublish(changes) }

  /// Lets waiting work continue.
  package func resume() { onResume() }
}

/// The order in which the members of a ``Scope`` are held, prepared and published.
package enum ScopeStage: Int, Sendable, Comparable, CaseIterable {
  /// Members that read the contents themselves, such as files and databases.
  case contents

  /// Members that depend on other members, such as flags and sessions.
  case dependents

  /// Members that are used from inside the work of others, such as logs in a transaction.
  ///
  /// They are held last, so that work that a switch waits for rarely waits for them.
  case logs

  package static func < (first: ScopeStage, second: ScopeStage) -> Bool { first.rawValue < second.rawValue }
}

/// The result of an attempt to switch the contents of a ``Scope``.
package enum ScopeOutcome: Sendable, Hashable {
  /// The contents are unchanged.
  case unchanged

  /// The contents were replaced.
  case switched
}

/// The owner of a ``Scope`` whose contents several processes switch.
package protocol ScopeOwner: AnyObject, Sendable {
  /// A Boolean value that is `false` while the contents may differ from the ones that the members show.
  var hasFollowed: Bool { get }

  /// Returns a Boolean value that indicates whether switches leave an entry in place, given its path below the root.
  func keepsInPlace(_ path: String) -> Bool

  /// The mark of the contents that are in the root; `nil` while a process moves them, or if it is unknown.
  ///
  /// If the mark is the same before and after a read without a lock, the read found contents that were not moved back.
  var mark: FileStamp? { get }

  /// Runs a closure while no process switches the contents; at once on the thread that switches them.
  func steadily<Result>(_ body: () throws -> Result) throws -> Result

  /// Waits until no process switches the contents, and makes the members show them.
  func follow()
}

/// The behavior of a live value when the contents of its ``Scope`` are switched.
@nonexhaustive
public enum ScopePolicy: Sendable, Hashable {
  /// The value continues with its content in the new contents.
  case follows

  /// The value is closed: it keeps its last value, and reports an error that says so.
  ///
  /// It must be opened again.
  case closes
}

/// A shared value that may have been opened in a ``Scope``.
package protocol ScopedValue {
  /// The scope in which the value was opened; `nil` if it was opened without one.
  var scope: Scope? { get }
}

extension AppGroupsFile: ScopedValue {}
extension AppGroupsSuite: ScopedValue {}

/// The changes to live values by a switch of a ``Scope``, collected so that all of them are sent as one.
///
/// The owner of the scope creates the object, lets the members publish into it while the contents are locked, unlocks
/// the contents, and then calls ``send()``. No lock is held while subscribers are called.
package final class ScopeChanges {
  private var openBatch: OpenBatch?
  private var actions: [() -> Void] = []

  /// Creates an object without changes.
  package init() {}

  /// A Boolean value that indicates whether there is nothing to send.
  package var isEmpty: Bool { openBatch == nil && actions.isEmpty }

  /// Writes properties as a part of the change.
  ///
  /// - Parameter body: Writes the properties. It runs at once, on this thread.
  package func publish(_ body: () -> Void) {
    if openBatch == nil { openBatch = OpenBatch() }
    body()
  }

  /// Adds an action that runs after all subscribers have received the change.
  ///
  /// - Parameter action: The action, such as sending an event.
  package func afterwards(_ action: @escaping () -> Void) { actions.append(action) }

  /// Sends the change, and runs the actions in the order in which they were added.
  package func send() {
    if let openBatch = openBatch.take() { openBatch.end() }
    while !actions.isEmpty {
      let actions = actions
      self.actions = []
      for action in actions { action() }
    }
  }
}

@available(*, unavailable)
extension ScopeChanges: Sendable {}

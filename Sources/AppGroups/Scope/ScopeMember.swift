/// A live value that takes part in the switches of a ``Scope``.
///
/// A switch has five steps, all on one thread. All members finish a step before the next one begins:
///
/// ```
///   hold      work in progress ends, and new work waits; if one member takes long, all others are let go again
///   settle    the member closes and saves what it must
///             ── the contents are switched ──
///   prepare   the member reads its new content; nothing is sent
///   publish   the member stores what it read, in a batch with all others
///   resume    waiting work continues; then the batch is sent
/// ```
package protocol ScopeMember: AnyObject, Sendable {
  /// A Boolean value that indicates whether this thread is inside an operation for which a switch waits.
  ///
  /// The default is `false`.
  var delaysSwitchOnThisThread: Bool { get }

  /// The place of the member among all members.
  var switchStage: ScopeStage { get }

  /// Finishes the work in progress, and keeps new work waiting until ``publishSwitch(_:into:)`` or ``resumeAfterSwitch()``.
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

  /// Reads the content after the attempt, and keeps it.
  ///
  /// No error stops the switch, because it has already happened. A member that cannot read its content publishes the
  /// error as its status.
  func prepareSwitch(_ outcome: ScopeOutcome)

  /// Stores the prepared content.
  ///
  /// It runs inside a batch, so properties send nothing yet. Other events are sent through
  /// ``ScopeChanges/afterwards(_:)``.
  func publishSwitch(_ outcome: ScopeOutcome, into changes: ScopeChanges)

  /// Lets waiting work continue, after all members have stored their content.
  ///
  /// The default implementation does nothing.
  func resumeAfterSwitch()
}

extension ScopeMember {
  package var delaysSwitchOnThisThread: Bool { false }
  package var switchStage: ScopeStage { .contents }
  package func holdForSwitch(within patience: Duration?) throws -> Bool { true }
  package func letGo() {}
  package func settleForSwitch() {}
  package func prepareSwitch(_ outcome: ScopeOutcome) {}
  package func resumeAfterSwitch() {}
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

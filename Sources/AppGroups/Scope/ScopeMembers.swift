import FileSignals
import Signals
import Synchronization

/// The members of a scope, ordered by stage and then by enrolment.
final class ScopeMembers: Sendable {
  /// The lock that is held while the contents are switched.
  let turn = OwnedLock()

  private struct State {
    var members = WeakMembers<any ScopeMember, ScopeStage, Void>()
    /// A Boolean value that indicates whether a switch holds the members, and would overlook another one.
    var isClosed = false
    weak var owner: (any ScopeOwner)?
  }

  private let state = Guarded(State())

  /// The owner of the root, while there is one; not kept alive.
  var owner: (any ScopeOwner)? {
    get { state.withLock { $0.owner } }
    set { state.withLock { $0.owner = newValue } }
  }

  /// The calls that wait until the members show the current contents.
  let followers = Guarded<[@Sendable () -> Void]>([])
  let following = Refreshing()

  private let isActing = Atomic(false)

  /// A Boolean value that indicates whether the contents are being switched and the members do not show the new ones
  /// yet.
  ///
  /// Only the thread that holds ``turn`` changes it.
  var isSwitching: Bool {
    get { isActing.load(ordering: .acquiring) }
    set { isActing.store(newValue, ordering: .releasing) }
  }

  /// The number of members that were ever added.
  var additions: Int { state.withLock { $0.members.additions } }

  /// Closes the list for a switch that holds all members, unless some were added after a number of additions.
  ///
  /// - Returns: `true` if the list is closed.
  func close(after additions: Int) -> Bool {
    state.withLock { state in
      state.isClosed = state.members.additions == additions
      return state.isClosed
    }
  }

  /// Ends what ``close(after:)`` began.
  func reopen() { state.withLock { $0.isClosed = false } }

  /// Adds a member.
  ///
  /// - Parameters:
  ///   - member: The member.
  ///   - isForced: A Boolean value that determines whether to add it even if the list is closed.
  /// - Returns: The number to remove it with, or `nil` if the list is closed.
  func add(_ member: any ScopeMember, isForced: Bool) -> Int? {
    let stage = member.switchStage
    return state.withLock { state in
      if state.isClosed, !isForced { return nil }
      return state.members.add(in: stage, ()) { [weak member] in member }
    }
  }

  func remove(_ number: Int) {
    _ = state.withLock { $0.members.remove(number) }
  }

  var all: [any ScopeMember] {
    state.withLock { $0.members.entries.compactMap { $0.member() } }
  }
}

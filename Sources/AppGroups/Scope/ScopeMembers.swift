import FileSignals
import Signals
import Synchronization

/// The members of a scope, ordered by stage and then by enrolment.
final class ScopeMembers: Sendable {
  private struct Entry {
    let number: Int
    let stage: ScopeStage
    weak var member: (any ScopeMember)?
  }

  /// The lock that is held while the contents are switched.
  let turn = OwnedLock()

  private struct State {
    var entries: [Entry] = []
    var count = 0
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
  var additions: Int { state.withLock { $0.count } }

  /// Closes the list for a switch that holds all members, unless some were added after a number of additions.
  ///
  /// - Returns: `true` if the list is closed.
  func close(after additions: Int) -> Bool {
    state.withLock { state in
      state.isClosed = state.count == additions
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
      state.count += 1
      let index = state.entries.firstIndex { stage < $0.stage } ?? state.entries.endIndex
      state.entries.insert(Entry(number: state.count, stage: stage, member: member), at: index)
      return state.count
    }
  }

  func remove(_ number: Int) {
    state.withLock { $0.entries.removeAll { $0.number == number } }
  }

  var all: [any ScopeMember] {
    state.withLock { $0.entries.compactMap(\.member) }
  }
}

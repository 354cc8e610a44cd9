import FileSignals
import Signals
import Synchronization

/// The members of a scope, ordered by stage and then by enrolment.
final class ScopeMembers: Sendable {
  /// The lock that is held while the contents are switched.
  let turn = OwnedLock()

  private struct State {
    var members = StagedMembers<any ScopeMember, ScopeStage, Void>()
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

  /// A Boolean value that indicates whether this thread is inside an operation of a member for which a switch must
  /// wait.
  var isDelayedByThisThread: Bool {
    state.withLock { $0.members.unsorted.compactMap { $0.member() } }.contains { $0.delaysSwitchOnThisThread }
  }
}

extension ScopeMembers {
  /// The longest time to wait for one member while others are held.
  private static let patience = Duration.milliseconds(20)

  /// Waits for the work of all members in progress, and keeps new work waiting.
  ///
  /// Work in progress may itself wait for another member, such as an update of a file inside a transaction of a
  /// database. So this thread waits as long as necessary only while it holds no member. If another one takes longer
  /// than a moment, all are let go, and the slow one is held first, as `std::lock` in C++ does.
  ///
  /// - Returns: The members by stage, and within a stage in the order in which they were held.
  /// - Throws: The error of a member that refuses. No member is held then.
  func hold() throws -> [any ScopeMember] {
    let (held, refusal) = hold(keepingRefusing: false)
    if let refusal { throw refusal }
    return held
  }

  /// Waits for the work of all members in progress, after a switch that no member can refuse any more.
  ///
  /// - Returns: The members, including any that could not be held.
  func holdAfterSwitch() -> [any ScopeMember] { hold(keepingRefusing: true).held }

  private func hold(keepingRefusing: Bool) -> (held: [any ScopeMember], refusal: (any Error)?) {
    var first: (any ScopeMember)?
    while true {
      var held: [any ScopeMember] = []
      var slow: (any ScopeMember)?
      var refusal: (any Error)?
      let additions = additions
      for member in order(beginningWith: first) {
        do {
          let isHeld = try member.holdForSwitch(within: held.isEmpty ? nil : Self.patience)
          if !isHeld { slow = member }
        } catch {
          if !keepingRefusing { refusal = error }
        }
        if slow != nil || refusal != nil { break }
        held.append(member)
      }
      // Work that this thread waited for may have added a member. None is added from here on, because it would be
      // overlooked.
      if slow == nil, refusal == nil, close(after: additions) {
        let ordered = ScopeStage.allCases.flatMap { stage in held.filter { $0.switchStage == stage } }
        for member in ordered { member.settleForSwitch() }
        return (ordered, nil)
      }
      for member in held { member.letGo() }
      if let refusal { return ([], refusal) }
      first = slow
    }
  }

  private func order(beginningWith first: (any ScopeMember)?) -> [any ScopeMember] {
    let all = state.withLock { $0.members.entries.compactMap { $0.member() } }
    // It may have left the scope in the meantime.
    guard let first, all.contains(where: { $0 === first }) else { return all }
    return [first] + all.filter { $0 !== first }
  }
}

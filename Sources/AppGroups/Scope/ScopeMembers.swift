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

  /// The lock that is held while the contents are swapped.
  let turn = OwnedLock()

  private struct State {
    var entries: [Entry] = []
    var count = 0
  }

  private let state = Guarded(State())

  /// The calls that wait until the members show the current contents.
  let followers = Guarded<[@Sendable () -> Void]>([])
  let following = Refreshing()

  private let isActing = Atomic(false)

  /// A Boolean value that indicates whether the contents are being swapped and the members do not show the new ones
  /// yet.
  ///
  /// Only the thread that holds ``turn`` changes it.
  var isSwapping: Bool {
    get { isActing.load(ordering: .acquiring) }
    set { isActing.store(newValue, ordering: .releasing) }
  }

  /// The number of members that were ever added.
  var additions: Int { state.withLock { $0.count } }

  func add(_ member: any ScopeMember) -> Int {
    let stage = member.swapStage
    return state.withLock { state in
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

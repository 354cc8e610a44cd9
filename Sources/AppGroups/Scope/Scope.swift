import Dispatch
public import Foundation
public import Signals
import Synchronization

/// A root directory whose contents can be swapped for others while live values look at them.
///
/// A live value that is opened in a scope follows the swap: it shows what the new contents hold in its place, and sends
/// it, without being opened again; or it is closed, by choice. ``ScopePolicy`` says which. Whoever swaps, such as an
/// environment switch, has all of them finish what they do, swaps, and has them go on.
///
/// ```swift
/// import AppGroups
/// import Containers
/// import Foundation
///
/// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let app = try AppContainer(home: home)
/// print(app.scope.swapCount.value)  // Prints "0"
/// try FileManager.default.removeItem(at: home)
/// ```
///
/// The owner of the root hands out its scope; an app does not make one. Live values keep alive what has them follow.
public final class Scope: Sendable {
  /// The directory.
  public let root: URL

  /// How often the contents were swapped since the scope was made, by whichever process.
  ///
  /// It changes after every live value of the scope has gone over to the new contents.
  public let swapCount: Property<Int>

  /// What of the root is put away, and not to be reached through links.
  let foreign: URL?

  private let swaps: MutableProperty<Int>
  private let members: ScopeMembers
  private let whileSteady: @Sendable (() throws -> Void) throws -> Void
  private let hasGoneOver: @Sendable () -> Bool
  private let catchUp: @Sendable () -> Void

  /// Who tells of swaps, and would do so no more if nobody kept it.
  private let owner: (any AnyObject & Sendable)?

  /// Makes the scope of a directory that only this process swaps.
  ///
  /// - Parameter root: The directory.
  package convenience init(root: URL) {
    self.init(root: root, whileSteady: { try $0() }, hasGoneOver: { true }, catchUp: {})
  }

  /// Makes the scope of a directory that several processes swap.
  ///
  /// - Parameters:
  ///   - root: The directory.
  ///   - foreign: A directory in it, free of symbolic links, in which contents are put away.
  ///   - whileSteady: Runs a closure while no process swaps; at once, on the thread that swaps.
  ///   - hasGoneOver: Returns `false` while the contents are, or may be, others than those that the members show.
  ///   - catchUp: Waits until no process swaps, and has the members show the contents that are there then.
  package init(
    root: URL,
    foreign: URL? = nil,
    whileSteady: @escaping @Sendable (() throws -> Void) throws -> Void,
    hasGoneOver: @escaping @Sendable () -> Bool,
    catchUp: @escaping @Sendable () -> Void
  ) {
    self.root = root
    self.foreign = foreign
    self.whileSteady = whileSteady
    self.hasGoneOver = hasGoneOver
    self.catchUp = catchUp
    swaps = MutableProperty(0)
    swapCount = swaps
    members = ScopeMembers()
    owner = nil
  }

  /// Makes an object for a scope that is there already: of both, the members are swapped together.
  ///
  /// - Parameters:
  ///   - scope: The scope.
  ///   - owner: What is kept alive, by this object and by who is enrolled in it or observes its swap count.
  package init(_ scope: Scope, keeping owner: any AnyObject & Sendable) {
    root = scope.root
    foreign = scope.foreign
    whileSteady = scope.whileSteady
    hasGoneOver = scope.hasGoneOver
    catchUp = scope.catchUp
    swaps = scope.swaps
    swapCount = Property(swaps, keeping: owner)
    members = scope.members
    self.owner = owner
  }

  /// A Boolean value that indicates whether the members show the contents that are in the root now.
  ///
  /// Content that was read before is of those contents, too, if the member has not been swapped meanwhile.
  package var isFollowed: Bool { (!members.isSwapping || members.turn.isHeldByThisThread) && hasGoneOver() }

  /// How often a member that finds unknown contents has the scope follow before it takes them as they are.
  static let maximumFollowings = 3

  /// Waits on another thread until no process swaps, and has the members show the contents that are there then.
  ///
  /// - Parameter completion: Called on that thread when they do, or when the owner cannot find out what is there.
  package func follow(_ completion: @escaping @Sendable () -> Void) {
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      // A swap of this process ends first.
      members.turn.withLock {}
      catchUp()
      completion()
    }
  }

  /// Waits until the members show the contents that are in the root now.
  ///
  /// The wait has a limit, because the thread that waits may be the one that the swap waits for: in the midst of an
  /// update, of a transaction, or with a lock of its user.
  ///
  /// - Returns: Whether they do.
  package func waitUntilFollowed() -> Bool {
    if isFollowed { return true }
    let isDone = DispatchSemaphore(value: 0)
    follow { isDone.signal() }
    _ = isDone.wait(timeout: .now() + .milliseconds(500))
    return isFollowed
  }

  /// Runs a closure that makes something in the root, which must not happen while the contents are half swapped.
  package func steadily<Result>(_ body: () throws -> Result) throws -> Result {
    var result: Result?
    try whileSteady { result = try body() }
    guard let result else { stop(because: "The owner of a scope did not run what it was given") }
    return result
  }

  /// A Boolean value that indicates whether this thread is inside an operation of a member that a swap has to wait for.
  ///
  /// Such a thread must not wait for a thread or a process that swaps, because that one waits for it.
  package var isDelayedByThisThread: Bool { members.all.contains { $0.delaysSwapOnThisThread } }

  /// Has a member take part in each swap from now on.
  ///
  /// - Parameter member: The member, which is not kept alive.
  /// - Returns: What to release, or cancel, for the member to leave; it keeps the scope alive.
  package func enrol(_ member: any ScopeMember) -> SignalSubscription {
    let number = members.add(member)
    return SignalSubscription { [self] in members.remove(number) }
  }

  /// Swaps the contents while every member waits, and sends the changes of all members as one.
  ///
  /// - Parameter act: Swaps the contents. If it throws, they must be as they were.
  /// - Returns: The result of `act`. By then, each member shows the new contents, and subscribers have received them.
  /// - Throws: The error of a member or of `act`. The contents are then as they were, and each member goes on with them.
  package func swap<Result>(_ act: () throws -> Result) throws -> Result {
    let changes = ScopeChanges()
    defer { changes.send() }
    return try swap(into: changes, act)
  }

  /// Swaps the contents while every member waits.
  ///
  /// - Parameters:
  ///   - changes: The object that collects the changes. The caller sends it when no lock is held.
  ///   - act: Swaps the contents. If it throws, they must be as they were.
  ///   - publish: Writes properties of the owner as a part of the change.
  /// - Returns: The result of `act`. By then, each member shows the new contents.
  /// - Throws: The error of a member or of `act`. The contents are then as they were, and each member goes on with them.
  package func swap<Result>(
    into changes: ScopeChanges, _ act: () throws -> Result, publishing publish: (Result) -> Void = { _ in }
  ) throws -> Result {
    try withTurn {
      let held = try hold(into: changes)
      let result: Result
      do {
        members.isSwapping = true
        result = try act()
      } catch {
        release(held, .unchanged, into: changes)
        throw error
      }
      release(held, .swapped, into: changes) { publish(result) }
      return result
    }
  }

  /// Runs a closure while every member waits, and the contents are complete.
  ///
  /// - Parameters:
  ///   - changes: The object that collects the changes. The caller sends it when no lock is held.
  ///   - body: Reads the contents.
  /// - Returns: What `body` returned.
  /// - Throws: What a member or `body` threw.
  package func rest<Result>(into changes: ScopeChanges, _ body: () throws -> Result) throws -> Result {
    try withTurn {
      let held = try hold(into: changes)
      defer { release(held, .unchanged, into: changes) }
      return try body()
    }
  }

  /// Has every member show new contents that another process has swapped in.
  ///
  /// - Parameters:
  ///   - changes: The object that collects the changes. The caller sends it when no lock is held.
  ///   - publish: Writes properties of the owner as a part of the change.
  package func followSwap(into changes: ScopeChanges, publishing publish: () -> Void) {
    withTurn {
      members.isSwapping = true
      // The swap has happened already, so no member can refuse it. One that cannot be held is prepared all the same.
      let all = members.all
      for member in all {
        do {
          try member.holdForSwap()
        } catch {
          continue
        }
      }
      release(all, .swapped, into: changes, publishing: publish)
    }
  }

  /// Has every member show new contents that another process has swapped in, and sends the changes as one.
  package func followSwap() {
    let changes = ScopeChanges()
    followSwap(into: changes) {}
    changes.send()
  }

  private func withTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if members.turn.isHeldByThisThread {
      stop(because: "The contents of a scope were swapped from inside of a swap of the same scope; do that after it")
    }
    return try members.turn.withLock(body)
  }

  private func hold(into changes: ScopeChanges) throws -> [any ScopeMember] {
    var held: [any ScopeMember] = []
    do {
      for member in members.all {
        try member.holdForSwap()
        held.append(member)
      }
      return held
    } catch {
      release(held, .unchanged, into: changes)
      throw error
    }
  }

  /// Lets members go on, in the order in which they were held: of several for one file, the first has the lock.
  private func release(
    _ held: [any ScopeMember], _ outcome: ScopeOutcome, into changes: ScopeChanges, publishing publish: () -> Void = {}
  ) {
    for member in held { member.prepareSwap(outcome) }
    changes.publish {
      for member in held { member.publishSwap(outcome, into: changes) }
      guard outcome == .swapped else { return }
      publish()
      swaps.modify { $0 += 1 }
    }
    members.isSwapping = false
  }
}

/// Who takes part in the swaps of a scope, in the order in which they came.
private final class ScopeMembers: Sendable {
  private struct Entry {
    let number: Int
    let stage: ScopeStage
    weak var member: (any ScopeMember)?
  }

  /// Held while the contents are swapped.
  let turn = OwnedLock()

  private struct State {
    var entries: [Entry] = []
    var count = 0
  }

  private let state = Guarded(State())

  private let isActing = Atomic(false)

  /// A Boolean value that indicates whether the contents are being swapped, and members do not show them yet.
  ///
  /// Only the thread that has the turn changes it.
  var isSwapping: Bool {
    get { isActing.load(ordering: .acquiring) }
    set { isActing.store(newValue, ordering: .releasing) }
  }

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

public import Foundation
public import Signals

/// A root directory whose contents can be swapped for others while live values look at them.
///
/// A live value that is opened in a scope follows the swap: it shows what the new contents hold in its place, and sends
/// it, without being opened again; or it is closed, by choice. ``ScopePolicy`` says which. Whoever swaps, such as an
/// environment switch, has all of them finish what they do, swaps, and has them go on.
///
/// ```swift
/// import AppGroups
/// import Foundation
///
/// let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let scope = Scope(root: root)
/// print(scope.swapCount.value)  // Prints "0"
/// ```
///
/// The live values of one process have to be opened in the scope that the owner of the root hands out, to be swapped
/// together. They keep alive what has them follow.
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

  /// Who tells of swaps, and would do so no more if nobody kept it.
  private let owner: (any AnyObject & Sendable)?

  /// Makes the scope of a directory, of which nothing is looked at or made.
  ///
  /// - Parameter root: The directory.
  public convenience init(root: URL) {
    self.init(root: root, whileSteady: { try $0() }, hasGoneOver: { true })
  }

  /// Makes the scope of a directory that several processes swap.
  ///
  /// - Parameters:
  ///   - root: The directory.
  ///   - foreign: A directory in it, free of symbolic links, in which contents are put away.
  ///   - whileSteady: Runs a closure while no process swaps; at once, on the thread that swaps.
  ///   - hasGoneOver: Tells at once whether the members have gone over to whatever any process has swapped in, or is
  ///     about to.
  package init(
    root: URL,
    foreign: URL? = nil,
    whileSteady: @escaping @Sendable (() throws -> Void) throws -> Void,
    hasGoneOver: @escaping @Sendable () -> Bool
  ) {
    self.root = root
    self.foreign = foreign
    self.whileSteady = whileSteady
    self.hasGoneOver = hasGoneOver
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
    swaps = scope.swaps
    swapCount = Property(swaps, keeping: owner)
    members = scope.members
    self.owner = owner
  }

  /// Whether what members have in memory is of the contents that were there when this was asked, and not of others.
  package var isFollowed: Bool { hasGoneOver() }

  /// Runs a closure that makes something in the root, which must not happen while the contents are half swapped.
  package func steadily<Result>(_ body: () throws -> Result) throws -> Result {
    var result: Result?
    try whileSteady { result = try body() }
    guard let result else { stop(because: "The owner of a scope did not run what it was given") }
    return result
  }

  /// Has a member take part in each swap from now on.
  ///
  /// - Parameter member: The member, which is not kept alive.
  /// - Returns: What to release, or cancel, for the member to leave; it keeps the scope alive.
  package func enrol(_ member: any ScopeMember) -> SignalSubscription {
    let number = members.add(member)
    return SignalSubscription { [self] in members.remove(number) }
  }

  /// Swaps the contents while every member waits.
  ///
  /// - Parameter act: Swaps the contents; if it throws, they must be what they were.
  /// - Returns: What `act` returned. By then, each member shows the new contents.
  /// - Throws: What a member or `act` threw; the contents are then what they were, and each member goes on with them.
  package func swap<Result>(_ act: () throws -> Result) throws -> Result {
    try withTurn {
      let held = try hold()
      let result: Result
      do {
        result = try act()
      } catch {
        release(held, .unchanged)
        throw error
      }
      release(held, .swapped)
      swaps.modify { $0 += 1 }
      return result
    }
  }

  /// Runs a closure while every member waits, and the contents are complete.
  ///
  /// - Parameter body: Reads the contents.
  /// - Returns: What `body` returned.
  /// - Throws: What a member or `body` threw.
  package func rest<Result>(_ body: () throws -> Result) throws -> Result {
    try withTurn {
      let held = try hold()
      defer { release(held, .unchanged) }
      return try body()
    }
  }

  /// Has every member go over to new contents that another process has swapped in.
  package func followSwap() {
    withTurn {
      // Nobody can veto what has happened already.
      var held: [any ScopeMember] = []
      for member in members.all {
        do {
          try member.holdForSwap()
          held.append(member)
        } catch {
          member.releaseAfterSwap(.swapped)
        }
      }
      release(held, .swapped)
      swaps.modify { $0 += 1 }
    }
  }

  private func withTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if members.turn.isHeldByThisThread {
      stop(because: "The contents of a scope were swapped from inside of a swap of the same scope; do that after it")
    }
    return try members.turn.withLock(body)
  }

  private func hold() throws -> [any ScopeMember] {
    var held: [any ScopeMember] = []
    do {
      for member in members.all {
        try member.holdForSwap()
        held.append(member)
      }
      return held
    } catch {
      release(held, .unchanged)
      throw error
    }
  }

  /// Lets members go on, in the order in which they were held: of several for one file, the first has the lock.
  private func release(_ held: [any ScopeMember], _ outcome: ScopeOutcome) {
    for member in held { member.releaseAfterSwap(outcome) }
  }
}

/// Who takes part in the swaps of a scope, in the order in which they came.
private final class ScopeMembers: Sendable {
  private struct Entry {
    let number: Int
    weak var member: (any ScopeMember)?
  }

  /// Held while the contents are swapped.
  let turn = OwnedLock()

  private struct State {
    var entries: [Entry] = []
    var count = 0
  }

  private let state = Guarded(State())

  func add(_ member: any ScopeMember) -> Int {
    state.withLock { state in
      state.count += 1
      state.entries.append(Entry(number: state.count, member: member))
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

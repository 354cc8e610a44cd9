import Dispatch
import FileSignals
public import Foundation
public import Signals
import Synchronization

/// A root directory whose contents can be switched while live values observe them.
///
/// When the contents are switched, a live value that was opened in the scope follows, or is closed, according to its
/// ``ScopePolicy``. A value that follows sends the value in the new contents, and does not have to be opened
/// again. The owner of the root, such as an environment switch, suspends all live values, switches the contents, and
/// resumes the values.
///
/// ```swift
/// import AppGroups
/// import Containers
/// import Foundation
///
/// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let app = try AppContainer(home: home)
/// print(app.scope.switchCount.value)  // Prints "0"
/// try FileManager.default.removeItem(at: home)
/// ```
///
/// The owner of the root provides the scope; an app does not create one. Live values keep alive the object that makes
/// them follow.
public final class Scope: Sendable {
  /// The root directory.
  public let root: URL

  /// The number of switches by any process since the scope was created.
  ///
  /// It changes after all live values of the scope show the new contents.
  public let switchCount: Property<Int>

  /// The directory in the root for contents that are not in place, which must not be reached through links.
  let foreign: URL?

  private let switches: MutableProperty<Int>
  let members: ScopeMembers

  /// The owner of the root, retained so that it stays alive.
  private let retained: (any AnyObject & Sendable)?

  /// Creates the scope of a directory.
  ///
  /// - Parameters:
  ///   - root: The root directory.
  ///   - foreign: A directory in the root, without symbolic links in its path, for contents that are not in place.
  package init(root: URL, foreign: URL? = nil) {
    self.root = root
    self.foreign = foreign
    switches = MutableProperty(0)
    switchCount = switches
    members = ScopeMembers()
    retained = nil
  }

  /// Creates another object for an existing scope; the members of both objects are switched together.
  ///
  /// - Parameters:
  ///   - scope: The existing scope.
  ///   - owner: An object to keep alive, as long as this scope, a member that is enrolled in it, or an observer of its
  ///     switch count exists.
  package init(_ scope: Scope, keeping owner: any AnyObject & Sendable) {
    root = scope.root
    foreign = scope.foreign
    switches = scope.switches
    switchCount = Property(switches, keeping: owner)
    members = scope.members
    retained = owner
  }

  /// Names the owner of the root, who switches the contents together with other processes; not kept alive.
  ///
  /// Without an owner, only this process switches them.
  package func setOwner(_ owner: any ScopeOwner) { members.owner = owner }

  /// The owner of the root, while there is one.
  var owner: (any ScopeOwner)? { members.owner }

  /// Returns a Boolean value that indicates whether switches leave an entry in place, given its path below the root.
  func excludes(_ path: String) -> Bool { owner?.keepsInPlace(path) ?? false }

  /// A Boolean value that indicates whether the calling thread is switching the contents, and no other thread or
  /// process can.
  package var isSwitchedByThisThread: Bool { members.turn.isHeldByThisThread }

  /// A Boolean value that indicates whether the members show the current contents of the root.
  ///
  /// Content that was read earlier belongs to the current contents, too, unless the member has followed a switch in
  /// between.
  package var isFollowed: Bool {
    (!members.isSwitching || members.turn.isHeldByThisThread) && owner?.hasFollowed ?? true
  }

  /// Runs a closure that reads contents of the root without a lock.
  ///
  /// A switch that fails, or whose process is killed, moves the contents back. Until then, a reader finds contents that
  /// never become the current ones. The closure then runs once more, while no process switches the contents.
  ///
  /// - Parameters:
  ///   - failure: Converts an error of the owner, which could not keep the contents in place.
  ///   - body: Reads the contents.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or the converted one.
  package func reading<Result, Failure: Error>(
    orThrow failure: (any Error) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // A switch waits for such a thread, which must not wait for a switch.
    guard let owner, !isSwitchedByThisThread, !isDelayedByThisThread else { return try body() }
    let mark = owner.mark
    let result = Swift.Result { () throws(Failure) in try body() }
    return mark != nil && owner.mark == mark ? try result.get() : try steadily(orThrow: failure, body)
  }

  /// The identity of the scope, which objects share if their members are switched together.
  var identity: ObjectIdentifier { ObjectIdentifier(members) }

  /// Runs a closure that creates something in the root, while the contents are not being switched.
  package func steadily<Result>(_ body: () throws -> Result) throws -> Result {
    guard let owner else { return try body() }
    return try owner.steadily(body)
  }

  /// Runs a closure that creates something in the root, while the contents are not being switched.
  ///
  /// - Parameters:
  ///   - failure: Converts an error of the owner, which could not keep the contents in place.
  ///   - body: Creates it.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or the converted one.
  package func steadily<Result, Failure: Error>(
    orThrow failure: (any Error) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do {
      return try steadily(body)
    } catch let error as Failure {
      throw error
    } catch {
      throw failure(error)
    }
  }

  /// A Boolean value that indicates whether this thread is inside an operation of a member for which a switch must
  /// wait.
  ///
  /// Such a thread must not wait for a switch by another thread or process, because that would wait for this thread.
  package var isDelayedByThisThread: Bool { members.isDelayedByThisThread }

  /// Makes a member take part in each later switch.
  ///
  /// It waits for a switch in progress, in which the member would not take part. If that switch waits for work of this
  /// thread, the member takes part in it. If the switch lasts long, the member takes part in it as long as the switch
  /// does not hold its members yet.
  ///
  /// - Parameter member: The member, which is not kept alive.
  /// - Returns: A token that removes the member when it is cancelled or released. It keeps the scope alive.
  package func enrol(_ member: any ScopeMember) -> SignalSubscription {
    while true {
      let isSwitching = members.turn.isHeldByThisThread
      let hasTurn = !isSwitching && (members.turn.tryLock() || waitForTurn())
      var number = members.add(member, isForced: isSwitching)
      // Only then, because all members are asked.
      if number == nil, isDelayedByThisThread { number = members.add(member, isForced: true) }
      if hasTurn { members.turn.unlock() }
      if let number { return SignalSubscription { [self] in members.remove(number) } }
    }
  }

  /// Acquires the turn after the switch in progress, unless that may be waiting for this thread.
  ///
  /// The wait has a limit, because the switch may wait for a lock of the user that this thread holds.
  private func waitForTurn() -> Bool {
    !isDelayedByThisThread && members.turn.lock(within: .seconds(Self.followTimeout))
  }

  /// A Boolean value that indicates whether a thread switches the contents, or is about to.
  package var isBeingSwitched: Bool { members.turn.isHeld }

  /// Switches the contents while every member waits, and sends the changes of all members as one.
  ///
  /// - Parameter act: Switches the contents. If it throws an error, the contents must be unchanged.
  /// - Returns: The result of `act`. Each member then shows the new contents, and subscribers have received them.
  /// - Throws: The error of a member or of `act`. The contents are then unchanged, and the members continue with them.
  package func switchContents<Result>(_ act: () throws -> Result) throws -> Result {
    let changes = ScopeChanges()
    defer { changes.send() }
    return try switchContents(into: changes, act)
  }

  /// Switches the contents while every member waits.
  ///
  /// - Parameters:
  ///   - changes: The object that collects the changes. The caller sends it when no lock is held.
  ///   - act: Switches the contents. If it throws an error, the contents must be unchanged.
  ///   - publish: Writes properties of the owner as a part of the change.
  /// - Returns: The result of `act`. Each member then shows the new contents.
  /// - Throws: The error of a member or of `act`. The contents are then unchanged, and the members continue with them.
  package func switchContents<Result>(
    into changes: ScopeChanges, _ act: () throws -> Result, publishing publish: (Result) -> Void = { _ in }
  ) throws -> Result {
    try withTurn {
      let held = try members.hold()
      let result: Result
      do {
        members.isSwitching = true
        result = try act()
      } catch {
        release(held, .unchanged, into: changes)
        throw error
      }
      release(held, .switched, into: changes) { publish(result) }
      return result
    }
  }

  /// Runs a closure while every member waits and the contents are complete.
  ///
  /// - Parameters:
  ///   - changes: The object that collects the changes. The caller sends it when no lock is held.
  ///   - body: Reads the contents.
  /// - Returns: The result of `body`.
  /// - Throws: The error of a member or of `body`.
  package func rest<Result>(into changes: ScopeChanges, _ body: () throws -> Result) throws -> Result {
    try withTurn {
      let held = try members.hold()
      defer { release(held, .unchanged, into: changes) }
      return try body()
    }
  }

  /// Makes every member show new contents that another process has switched in.
  ///
  /// - Parameters:
  ///   - changes: The object that collects the changes. The caller sends it when no lock is held.
  ///   - publish: Writes properties of the owner as a part of the change.
  package func followSwitch(into changes: ScopeChanges, publishing publish: () -> Void) {
    withTurn {
      members.isSwitching = true
      // The switch has already happened, so no member can refuse it. A member that cannot be held is prepared
      // nevertheless.
      release(members.holdAfterSwitch(), .switched, into: changes, publishing: publish)
    }
  }

  /// Makes every member show new contents that another process has switched in, and sends the changes as one.
  package func followSwitch() {
    let changes = ScopeChanges()
    followSwitch(into: changes) {}
    changes.send()
  }

  private func withTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if members.turn.isHeldByThisThread {
      stop(because: "A switch began inside another switch of the same scope; begin it after the other one has returned")
    }
    return try members.turn.withLock(body)
  }

  /// Resumes members in the order in which they were held: of several members for one file, the first holds the lock.
  private func release(
    _ held: [any ScopeMember], _ outcome: ScopeOutcome, into changes: ScopeChanges, publishing publish: () -> Void = {}
  ) {
    let prepared = held.map { $0.prepareSwitch(outcome) }
    changes.publish {
      for one in prepared { one.publish(into: changes) }
      guard outcome == .switched else { return }
      publish()
      switches.modify { $0 += 1 }
    }
    members.isSwitching = false
    members.reopen()
    for one in prepared { one.resume() }
  }
}

import Dispatch
import FileSignals
import Signals

/// Following the switches of other processes.
extension Scope {
  /// The number of times that a member makes the scope follow without effect, before it accepts the contents as they
  /// are.
  static let maximumFollowings = 3

  /// The longest wait for a switch, in seconds.
  static let followTimeout = 10.0

  /// Waits on another thread until no process switches the contents, and makes the members show them.
  ///
  /// Calls during a wait share the next one.
  ///
  /// - Parameter completion: Called on that thread when the members show the contents, or when the owner cannot
  ///   determine them.
  package func follow(_ completion: @escaping @Sendable () -> Void) {
    members.followers.withLock { $0.append(completion) }
    guard members.following.demand() else { return }
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      members.following.run {
        let followers = members.followers.withLock { exchange(&$0, with: []) }
        // A switch by this process ends first.
        members.turn.withLock {}
        owner?.follow()
        for completion in followers { completion() }
      }
    }
  }

  /// Waits until the members show the current contents of the root.
  ///
  /// The wait has a limit, because a switch may in turn wait for this thread while it holds a lock of the user. Inside an
  /// operation that a switch waits for, this method does not wait.
  ///
  /// - Parameter isEnough: Called after each switch that the members have followed; if it returns `true`, the wait ends,
  ///   even if the next switch has begun.
  /// - Returns: `true` if the members show the current contents, or were enough.
  package func waitUntilFollowed(orUntil isEnough: () -> Bool = { false }) -> Bool {
    if isFollowed { return true }
    if isDelayedByThisThread { return false }
    let deadline = DispatchTime.now() + Self.followTimeout
    var (count, followings) = (switchCount.value, 0)
    repeat {
      let isDone = DispatchSemaphore(value: 0)
      follow { isDone.signal() }
      guard isDone.wait(timeout: deadline) == .success else { break }
      if isEnough() { return true }
      // Without a switch in between, the owner cannot determine the contents.
      followings = exchange(&count, with: switchCount.value) == count ? followings + 1 : 0
    } while !isFollowed && followings < Self.maximumFollowings
    return isFollowed
  }
}

import AppGroups
import Signals

/// The parts of a context that follow the session.
///
/// The context's properties keep them alive.
final class SessionOwner<User: SessionUser>: Sendable {
  private let engine: SessionEngine<User>
  private let bell: AppGroupsFile<Int>
  private let subscriptions: [SignalSubscription]
  private let follower: SessionFollower<User>?

  init(
    engine: SessionEngine<User>, bell: AppGroupsFile<Int>, subscriptions: [SignalSubscription],
    follower: SessionFollower<User>?
  ) {
    self.engine = engine
    self.bell = bell
    self.subscriptions = subscriptions
    self.follower = follower
  }
}

import FileSignals
import Foundation
import Signals
import Synchronization

/// The databases of this process that have the same file open.
///
/// Observed databases follow the others directly. They receive each commit when its writer delivers it, with the keys
/// of its rows, and do not wait for an event of the file system.
final class FileSiblings: Sendable {
  /// The numbers of begun and finished commits of one database.
  final class Commits: Sendable {
    let begun = Atomic(0)
    let ended = Atomic(0)
  }

  /// A database's subscription to another one, of which only one is in use.
  fileprivate final class Link: Sendable {
    let isUsed = Atomic(false)
  }

  private struct Member {
    weak var database: Database?
    let commits: Commits
    var isFollowing = false
    /// The subscriptions to the followed databases.
    var subscriptions: [ObjectIdentifier: SignalSubscription] = [:]
  }

  private struct State {
    var members: [ObjectIdentifier: Member] = [:]
    /// The number of commits of databases that have left.
    var past = 0
  }

  private let state = Guarded(State())

  private static let groups = SharedObjects<String, FileSiblings>()

  /// Returns the databases of a file, whose path is free of symbolic links.
  static func of(_ url: URL) -> FileSiblings { groups.object(of: url.path) { FileSiblings() } }

  /// Adds a database, which the observed ones follow from now on.
  func join(_ database: Database, _ commits: Commits) {
    let followers = state.withLock { state in
      state.members[ObjectIdentifier(database)] = Member(database: database, commits: commits)
      // The last reference to a database must not be released while the lock is held.
      return state.members.values.filter(\.isFollowing).compactMap(\.database)
    }
    for follower in followers { connect(follower, to: database) }
  }

  /// Makes a database follow all others from now on.
  func follow(_ database: Database) {
    let siblings = state.withLock { state -> [Database] in
      let key = ObjectIdentifier(database)
      guard let member = state.members[key] else { return [] }
      state.members[key]?.isFollowing = true
      // Also those that another thread is about to follow, because they are followed when this call returns.
      return state.members.filter { $0.key != key && member.subscriptions[$0.key] == nil }.values.compactMap(\.database)
    }
    for sibling in siblings { connect(database, to: sibling) }
  }

  /// Makes a database follow another one, if both are still open.
  ///
  /// No lock is held during the call, because a new subscriber also sends the changes that other threads have enqueued.
  private func connect(_ follower: Database, to sibling: Database) {
    let link = Link()
    let new = follower.follow(sibling, by: link)
    let (key, other) = (ObjectIdentifier(follower), ObjectIdentifier(sibling))
    let isUsed = state.withLock { state in
      guard state.members[other] != nil, let member = state.members[key], member.subscriptions[other] == nil else {
        return false
      }
      state.members[key]?.subscriptions[other] = new
      link.isUsed.store(true, ordering: .sequentiallyConsistent)
      return true
    }
    if !isUsed { new.cancel() }
  }

  /// Removes a closed database.
  func leave(_ key: ObjectIdentifier) {
    let ended = state.withLock { state -> [SignalSubscription] in
      guard let member = state.members.removeValue(forKey: key) else { return [] }
      state.past += member.commits.ended.load(ordering: .sequentiallyConsistent)
      var ended = Array(member.subscriptions.values)
      for other in state.members.keys {
        if let subscription = state.members[other]?.subscriptions.removeValue(forKey: key) {
          ended.append(subscription)
        }
      }
      return ended
    }
    for subscription in ended { subscription.cancel() }
  }

  /// Returns the number of commits that all databases except one have begun.
  func begunCount(but own: ObjectIdentifier) -> Int {
    sum(but: own) { $0.begun.load(ordering: .sequentiallyConsistent) }
  }

  /// Returns the number of commits that all databases except one have finished.
  func endedCount(but own: ObjectIdentifier?) -> Int {
    sum(but: own) { $0.ended.load(ordering: .sequentiallyConsistent) }
  }

  private func sum(but own: ObjectIdentifier?, _ count: (Commits) -> Int) -> Int {
    state.withLock { $0.members.reduce($0.past) { $1.key == own ? $0 : $0 + count($1.value.commits) } }
  }
}

extension Database {
  /// Delivers the commits of another database of the same file, until the subscription is cancelled.
  fileprivate func follow(_ sibling: Database, by link: FileSiblings.Link) -> SignalSubscription {
    sibling.delivery.emitter.named("databases of the same file").sink { [weak self, weak sibling] changes in
      guard let self, let sibling, changes.origin == .here else { return }
      if link.isUsed.load(ordering: .sequentiallyConsistent) { takeIn(changes, of: sibling) }
    }
  }

  private func takeIn(_ changes: ChangeSet, of sibling: Database) {
    var tables = changes.tables
    if let mine = sharing.recorder, let theirs = sibling.sharing.recorder {
      // The shares deliver these changes, with their author.
      tables = tables.filter { !mine.shares($0.key) || !theirs.shares($0.key) }
    }
    guard !tables.isEmpty, !writer.isClosed, delivery.emitter.hasSubscribers else { return }
    writer.changes.add(tables, .sameProcess)
    // This thread's transaction would not see the change, so it is delivered afterwards.
    if isInTransactionOfThisThread {
      afterTransaction { [delivery] in delivery.flush() }
    } else {
      delivery.flush()
    }
  }
}

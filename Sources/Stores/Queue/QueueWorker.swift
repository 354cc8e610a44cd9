import AppGroups
import FileSignals
import Foundation
import Signals

/// The announcement of this process as a worker of a queue, in one content of the database's directory.
///
/// Jobs are claimed in its name. The kernel ends the announcement with the process, and the workers of all other
/// processes are notified.
final class QueueWorker: Sendable {
  /// The unique name, which no other worker ever has.
  let name: String

  private let presence: AppGroupsPresence<String>?
  private let token: PresenceToken<String>?
  private let subscription = Guarded<SignalSubscription?>(nil)

  /// Creates a worker of a queue in a file, or in memory.
  init(of queue: String, beside database: URL?) throws(DatabaseError) {
    guard let database else {
      (presence, token, name) = (nil, nil, UUID.random().uuidString)
      return
    }
    do {
      let container = try AppGroupsContainer(directory: ShareBell.directory(beside: database))
      let presence = try AppGroupsPresence<String>(name: EncodedName.encoded(queue, limit: 150), container: container)
      let token = try presence.announce(queue)
      (self.presence, self.token, name) = (presence, token, token.id.uuidString)
    } catch {
      throw .unopenable(database.path, because: "this process cannot be announced as a worker: \(clause("\(error)"))")
    }
  }

  deinit {
    end()
  }

  /// Calls a closure after each change of the present workers, and now.
  func follow(_ body: @escaping @Sendable () -> Void) {
    let subscription = presence?.sink { _ in body() }
    self.subscription.withLock { $0 = subscription }
  }

  /// Ends the announcement.
  func end() {
    subscription.withLock { $0.take() }?.cancel()
    token?.withdraw()
  }

  /// The relation of another worker to its process.
  enum Sight {
    case present
    /// It is present, and its end may not be reported, because this process has not seen it come.
    case unseen
    case absent
  }

  /// Returns a Boolean value that indicates whether the end of another worker will be reported.
  func hasSeen(_ worker: String) -> Bool {
    guard let presence, let id = UUID(uuidString: worker) else { return true }
    return presence.value.contains { $0.id == id }
  }

  /// Returns whether another worker is present.
  func sight(of worker: String) throws(DatabaseError) -> Sight {
    // Only workers in memory have no announcement, and they belong to this process.
    guard let presence, let id = UUID(uuidString: worker) else { return .present }
    if hasSeen(worker) { return .present }
    do throws(AppGroupsFileError) {
      return try presence.isPresent(id) ? .unseen : .absent
    } catch {
      throw .unopenable(worker, because: error.description)
    }
  }
}

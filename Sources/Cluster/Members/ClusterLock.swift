import Foundation
import Signals

/// A lock that one process of all machines holds at a time.
///
/// Waiting processes acquire the lock in the order in which they asked for it. If the holder ends or loses the cluster
/// for ``ClusterOptions/sessionTime``, the next one acquires it.
public final class ClusterLock: Sendable {
  private let election: ClusterLeader<Int>

  /// Creates an object for a lock of a namespace, without waiting for the cluster.
  ///
  /// - Parameters:
  ///   - name: The name of the lock; any string is allowed.
  ///   - cluster: The namespace.
  public init(name: String, cluster: EtcdCluster) {
    election = ClusterLeader(name: name, cluster: cluster, kind: "lock")
  }

  /// Calls a closure while this process holds the lock.
  ///
  /// - Parameter body: A closure that receives the fencing token. If the session is lost while it runs, another process
  ///   may acquire the lock. Pass the token to the systems that it writes to, and let them refuse smaller ones.
  ///   The lock is released in the background if the task is cancelled, or if the cluster does not answer.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``ClusterError``, or `CancellationError` if the task was cancelled while it waited.
  public func withLock<Result: Sendable>(
    _ body: @Sendable (_ token: Int64) async throws -> Result
  ) async throws -> Result {
    let candidacy = try await election.campaign(0)
    do {
      var token: Int64?
      for await leadership in candidacy.leadership.values {
        token = leadership
        if token != nil { break }
      }
      guard let token else { throw CancellationError() }
      let result = try await body(token)
      await candidacy.resign()
      return result
    } catch {
      await candidacy.resign()
      throw error
    }
  }
}

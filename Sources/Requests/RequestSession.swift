package import Signals

#if canImport(FoundationNetworking)
  import Foundation
  package import FoundationNetworking
#else
  package import Foundation
#endif

/// A session for requests that may take any time and can be cancelled at any moment.
///
/// It has no cache, and follows no redirections: a request may contain a password, which another host must not receive.
package final class RequestSession: Sendable {
  private let session: URLSession
  private let receivers = RequestReceivers()

  /// Creates a session.
  ///
  /// - Parameter configuration: The configuration, whose cache is not used.
  package init(configuration: URLSessionConfiguration) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.qualityOfService = .userInitiated
    session = URLSession(configuration: configuration.withoutCache, delegate: receivers, delegateQueue: queue)
  }

  deinit {
    // Each subscription retains the session and stops its own task. On Linux, `invalidateAndCancel()` is not safe.
    session.finishTasksAndInvalidate()
  }

  /// Returns a signal that sends a request for each subscription, and then each part of the response as it arrives.
  ///
  /// The parts arrive on a queue of the session. If a subscription is cancelled, the connection is closed.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal that finishes with the response, or fails with the `URLError`.
  package func response(to request: URLRequest) -> AnySignal<ResponsePart, any Error> {
    .create { [self] sink in
      let task = session.dataTask(with: request)
      receivers.add(sink, for: task)
      task.resume()
      return SignalSubscription { [self] in
        receivers.remove(task)
        session.stop(task)
      }
    }
  }
}

extension URLSessionConfiguration {
  /// A copy of the configuration without a cache.
  package var withoutCache: URLSessionConfiguration {
    let copy = copy() as? URLSessionConfiguration ?? self
    copy.urlCache = nil
    return copy
  }
}

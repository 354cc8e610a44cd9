package import Foundation
package import Signals

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// A session for requests that may take any time and can be cancelled at any moment.
///
/// All clients of the package use it, so that the same rules hold for each of them:
///
/// - **Redirections** are not followed, not even on the same host: a request may contain a password, which no other
///   host must receive, and which must not leave encryption. The response is the redirection itself.
/// - **Cookies and caches** are not used, because one session serves several users, one after another.
/// - **Timeouts** are whole seconds, rounded up, because Linux cuts off fractions and takes zero as no timeout.
package final class RequestSession: Sendable {
  private let session: URLSession
  private let receivers = RequestReceivers()

  /// Creates a session.
  ///
  /// - Parameter configuration: The configuration, whose cache and cookies are not used.
  package init(configuration: URLSessionConfiguration) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.qualityOfService = .userInitiated
    session = URLSession(configuration: configuration.withoutMemory, delegate: receivers, delegateQueue: queue)
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
    var request = request
    request.timeoutInterval = request.timeoutInterval.rounded(.up)
    return .create { [self, request] sink in
      let task = session.dataTask(with: request)
      receivers.add(sink, for: task)
      task.resume()
      return SignalSubscription { [self] in
        receivers.remove(task)
        session.stop(task)
      }
    }
  }

  /// Sends a request, and returns the complete response.
  ///
  /// If the task is cancelled, or if the body is too large, the call ends at once and the connection is closed.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The maximum number of bytes of the body.
  /// - Returns: The head of the response, which is `nil` for a URL that is not HTTP, and the body.
  /// - Throws: `URLError`, ``BodyTooLarge`` or `CancellationError`.
  package func answer(
    to request: URLRequest, limit: Int = .max
  ) async throws -> (head: HTTPURLResponse?, body: Data) {
    let size = Guarded(0)
    // The parts are counted as they arrive, because the loop may take them later.
    let parts = response(to: request).tryMap { part in
      let count =
        switch part {
        case .head(let head): Int(clamping: head.expectedContentLength)
        case .body(let data):
          size.withLock { size in
            size += data.count
            return size
          }
        }
      if count > limit { throw BodyTooLarge(size: count, limit: limit) }
      return part
    }
    var answer: (head: HTTPURLResponse?, body: Data) = (nil, Data())
    for try await part in parts.values {
      switch part {
      case .head(let head): answer.head = head
      case .body(let data): answer.body.append(data)
      }
    }
    // The values end early if the task is cancelled.
    try Task.checkCancellation()
    return answer
  }
}

/// An error of a response whose body is larger than the client accepts.
package struct BodyTooLarge: Error, Hashable {
  /// The number of bytes that are known so far.
  package let size: Int

  /// The number of bytes that are accepted.
  package let limit: Int
}

extension URLSessionConfiguration {
  /// A copy of the configuration without a cache and without cookies.
  fileprivate var withoutMemory: URLSessionConfiguration {
    let copy = copy() as? URLSessionConfiguration ?? self
    copy.urlCache = nil
    copy.httpCookieStorage = nil
    copy.httpShouldSetCookies = false
    copy.httpCookieAcceptPolicy = .never
    return copy
  }
}

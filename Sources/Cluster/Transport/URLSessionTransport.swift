public import Foundation
public import Signals

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport over Foundation's `URLSession`, with the certificate authorities of the system.
///
/// It has no support for private authorities and client certificates.
///
/// > Important: On Linux, `URLSession` of Swift 6.3 ends the process if a member resets a connection before it has
/// > answered. Use another transport for `https` there, until a release contains the correction.
public final class URLSessionTransport: ClusterTransport {
  private let session: URLSession
  private let receivers = URLSessionReceivers()

  /// Creates a transport with connections of its own.
  public init() {
    let configuration = URLSessionConfiguration.ephemeral
    // Each watch occupies a connection.
    configuration.httpMaximumConnectionsPerHost = 256
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.qualityOfService = .userInitiated
    session = URLSession(configuration: configuration, delegate: receivers, delegateQueue: queue)
  }

  deinit {
    session.invalidateAndCancel()
  }

  /// Sends a request, and returns the complete response.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response, whatever its status is.
  /// - Throws: An error if there is no complete response.
  public func call(_ request: ClusterRequest) async throws(ClusterTransportError) -> ClusterResponse {
    let task = session.dataTask(with: URLRequest(request, timeout: request.timeout))
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        receivers.add(.call({ continuation.resume(returning: $0) }), for: task)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  /// Returns a signal that sends a request for each subscription, and then each part of the response as it arrives.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal that finishes with the response, or fails.
  public func stream(_ request: ClusterRequest) -> AnySignal<Data, ClusterTransportError> {
    .create { [session, receivers] sink in
      // `URLSession` counts the silence of a watch as time.
      let task = session.dataTask(with: URLRequest(request, timeout: .seconds(7 * 86_400)))
      receivers.add(.stream(sink), for: task)
      task.resume()
      return SignalSubscription { task.cancel() }
    }
  }
}

extension URLRequest {
  fileprivate init(_ request: ClusterRequest, timeout: Duration) {
    self.init(url: request.url)
    httpMethod = "POST"
    httpBody = request.body
    for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    // Whole seconds: fractions are cut off on Linux.
    timeoutInterval = timeout.inSeconds.rounded(.up) + 1
  }
}

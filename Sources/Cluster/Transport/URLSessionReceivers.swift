import Foundation
import Signals

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a session, which passes the events of each task to the receiver of its response.
final class URLSessionReceivers: NSObject, URLSessionDataDelegate, Sendable {
  /// The receiver of a response.
  enum Receiver: Sendable {
    case call(@Sendable (Result<ClusterResponse, ClusterTransportError>) -> Void)
    case stream(SignalSink<Data, ClusterTransportError>)
  }

  private struct Pending {
    let receiver: Receiver
    var body = Data()
  }

  private let pending = Guarded<[Int: Pending]>([:])

  /// Registers the receiver of a task that has not started yet.
  func add(_ receiver: Receiver, for task: URLSessionTask) {
    pending.withLock { $0[task.taskIdentifier] = Pending(receiver: receiver) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let sink = pending.withLock { pending -> SignalSink<Data, ClusterTransportError>? in
      switch pending[dataTask.taskIdentifier]?.receiver {
      case .stream(let sink): return sink
      case .call: pending[dataTask.taskIdentifier]?.body.append(data)
      case nil: break
      }
      return nil
    }
    sink?.send(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let ended = pending.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    let failure = error.map(ClusterTransportError.init)
    switch ended.receiver {
    case .stream(let sink):
      sink.send(completion: failure.map { .failure($0) } ?? .finished)
    case .call(let answer):
      if let failure { return answer(.failure(failure)) }
      let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
      answer(.success(ClusterResponse(status: status, body: ended.body)))
    }
  }

  // A redirection would send the password to another host.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

extension ClusterTransportError {
  fileprivate init(_ error: any Error) {
    guard let error = error as? URLError else {
      self.init(reason: clause(of: error.localizedDescription), isUnsent: false)
      return
    }
    let unsent: Set<URLError.Code> = [
      .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .secureConnectionFailed, .serverCertificateUntrusted,
      .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .badURL,
      .unsupportedURL, .notConnectedToInternet,
    ]
    self.init(reason: clause(of: error.localizedDescription), isUnsent: unsent.contains(error.code))
  }
}

/// Returns a text without its final period.
private func clause(of text: String) -> String {
  text.hasSuffix(".") ? String(text.dropLast()) : text
}

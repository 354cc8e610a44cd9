package import Foundation
import Signals

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// The delegate of a session, which passes the response of each task to the subscriber of the request.
final class RequestReceivers: NSObject, URLSessionDataDelegate, Sendable {
  private struct Receiver {
    let sink: SignalSink<ResponsePart, any Error>
    var hasHead = false
  }

  private let receivers = Guarded<[Int: Receiver]>([:])

  /// Registers the receiver of a task that has not started yet.
  func add(_ sink: SignalSink<ResponsePart, any Error>, for task: URLSessionTask) {
    receivers.withLock { $0[task.taskIdentifier] = Receiver(sink: sink) }
  }

  /// Forgets the receiver of a task.
  func remove(_ task: URLSessionTask) {
    // The receiver is released without the lock, because its `deinit` may run any code.
    receivers.replace { $0.removeValue(forKey: task.taskIdentifier) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    receiver(of: dataTask)?.send(.body(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let sink = receiver(of: task) else { return }
    remove(task)
    sink.send(completion: error.map { .failure($0) } ?? .finished)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // A stopped task does not wait for the answer any more, and an answer would end the process.
      guard task.state == .running else { return }
    #endif
    completionHandler(nil)
  }

  /// Returns the receiver of a task, after it has received the head of the response.
  private func receiver(of task: URLSessionTask) -> SignalSink<ResponsePart, any Error>? {
    let (sink, isFirst) = receivers.withLock { receivers in
      let receiver = receivers[task.taskIdentifier]
      receivers[task.taskIdentifier]?.hasHead = true
      return (receiver?.sink, receiver?.hasHead == false)
    }
    if isFirst, let head = task.response as? HTTPURLResponse { sink?.send(.head(head)) }
    return sink
  }
}

/// A part of a response as it arrives.
package enum ResponsePart: Sendable {
  /// The status and the fields, which come first.
  case head(HTTPURLResponse)

  /// Bytes of the body.
  case body(Data)
}

import Foundation
import Signals

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a session of streams, which reads the events of each connection.
final class StreamConnections: NSObject, URLSessionDataDelegate, Sendable {
  struct Connection: Sendable {
    let sink: SignalSink<TweakPatch, any Error>
    var parser: ServerSentEventParser
    let decode: @Sendable (ServerSentEvent) throws -> TweakPatch?
  }

  private let connections = Guarded<[Int: Connection]>([:])

  /// Registers the connection of a task that has not started yet.
  func add(_ connection: Connection, for task: URLSessionTask) {
    connections.withLock { $0[task.taskIdentifier] = connection }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    // The queue of the session is serial, so nothing else changes this connection.
    let number = dataTask.taskIdentifier
    guard refusal(of: dataTask) == nil, var connection = connections.withLock({ $0[number] }) else { return }
    do {
      let events = try connection.parser.parse(data)
      connections.withLock { if $0[number] != nil { $0[number] = connection } }
      for event in events {
        if let patch = try connection.decode(event) { connection.sink.send(patch) }
      }
    } catch {
      connections.replace { $0.removeValue(forKey: number) }
      dataTask.cancel()
      let failure = error as? TweakRequestFailure ?? .undecodable(reason: "\(error)")
      connection.sink.send(completion: .failure(failure))
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let connection = connections.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let refusal = refusal(of: task) {
      connection.sink.send(completion: .failure(refusal))
    } else if let error {
      connection.sink.send(completion: .failure(TweakRequestFailure.unreachable(reason: "\(error)")))
    } else {
      connection.sink.send(completion: .finished)
    }
  }

  // The request may contain the key of the app, which another host must not receive.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Returns the reason why an answer is not a stream of events.
  private func refusal(of task: URLSessionTask) -> TweakRequestFailure? {
    guard let response = task.response as? HTTPURLResponse else { return nil }
    guard response.statusCode == 200 else { return .status(response.statusCode) }
    guard response.mimeType?.lowercased() == "text/event-stream" else {
      let type = response.mimeType ?? "of no type"
      return .undecodable(reason: "the answer of the stream is \(type), not text/event-stream")
    }
    return nil
  }
}

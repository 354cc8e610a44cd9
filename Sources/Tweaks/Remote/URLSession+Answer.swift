import FileSignals
import Foundation
import Requests

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// Sends a request like `data(for:)`, which may hang in Swift 6.3 on Linux if it is cancelled.
  ///
  /// If the task is cancelled, the call ends at once, and the connection is closed. On Linux, a session with a cache
  /// cannot stop a request, which then goes on to its end or its timeout. Its answer is dropped.
  ///
  /// - Parameter request: The request.
  /// - Returns: The complete response.
  /// - Throws: `URLError` if there is none, or `CancellationError`.
  func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
    let call = PendingCall<(Data, URLResponse)>()
    let task = dataTask(with: request) { data, response, error in
      call.end(
        Result {
          guard let data, let response, error == nil else { throw error ?? URLError(.badServerResponse) }
          return (data, response)
        })
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if call.begin(continuation) { task.resume() }
      }
    } onCancel: {
      call.cancel()
      if canStop { stop(task) }
    }
  }
}

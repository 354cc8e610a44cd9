#if canImport(FoundationNetworking)
  import FileSignals
  import Foundation
  import FoundationNetworking

  extension URLSession {
    /// Sends a request like `data(for:)`, but does not cancel it.
    ///
    /// If the task is cancelled, the call ends at once. The request goes on to its end or its timeout, and its answer is
    /// dropped. In Swift 6.3 on Linux, a request that is cancelled while it ends by itself may end the process, and
    /// `data(for:)` may then block for ever.
    ///
    /// - Parameter request: The request.
    /// - Returns: The complete response.
    /// - Throws: `URLError` if there is none, or `CancellationError`.
    func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
      let call = PendingCall<(Data, URLResponse)>()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          guard call.begin(continuation) else { return }
          let task = dataTask(with: request) { data, response, error in
            call.end(
              Result {
                guard let data, let response, error == nil else { throw error ?? URLError(.badServerResponse) }
                return (data, response)
              })
          }
          task.resume()
        }
      } onCancel: {
        call.cancel()
      }
    }
  }
#else
  import Foundation

  extension URLSession {
    /// Sends a request.
    func answer(to request: URLRequest) async throws -> (Data, URLResponse) { try await data(for: request) }
  }
#endif

import Signals

/// One request over a socket, which ends once: with its response, with an error, or by cancellation.
final class SocketExchange<Value: Sendable>: Sendable {
  typealias Answer = @Sendable (Result<Value, ClusterTransportError>) -> Void

  private struct State {
    var answer: Answer?
    var connection: SocketConnection?
    var isCancelled = false
  }

  private let state = Guarded(State())

  /// Sets the closure that receives the result.
  ///
  /// - Returns: `false` if the exchange was cancelled before. The closure has then been called.
  func begin(_ answer: @escaping Answer) -> Bool {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.answer = answer }
      return state.isCancelled
    }
    if isCancelled { answer(.failure(.cancelled)) }
    return !isCancelled
  }

  /// A Boolean value that indicates whether the exchange was cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Sets the connection, which a cancellation shuts down.
  ///
  /// - Returns: `false` if the exchange was cancelled before.
  func use(_ connection: SocketConnection) -> Bool {
    state.withLock { state in
      state.connection = connection
      return !state.isCancelled
    }
  }

  /// Ends the exchange with a result.
  func end(_ result: Result<Value, ClusterTransportError>) {
    let answer = state.withLock { state in
      state.connection = nil
      return state.answer.take()
    }
    answer?(result)
  }

  /// Ends the exchange at once, and shuts down its connection.
  func cancel() {
    let (answer, connection) = state.withLock { state in
      state.isCancelled = true
      return (state.answer.take(), state.connection.take())
    }
    connection?.shutDown()
    answer?(.failure(.cancelled))
  }
}

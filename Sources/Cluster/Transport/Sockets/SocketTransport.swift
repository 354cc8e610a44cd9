import Dispatch
public import Foundation
public import Signals

/// A transport over sockets, for endpoints with the scheme `http`.
///
/// It has no encryption, so it is for loopback and for private networks. It is several times faster than
/// ``URLSessionTransport``. Each stream has a connection and a thread. At most sixteen calls are in progress at a time,
/// with a connection and a thread each; further calls wait. Idle connections are kept without a thread.
public final class SocketTransport: ClusterTransport {
  private struct State {
    /// The connections that wait for a request, by host and port.
    var idle: [String: [SocketConnection]] = [:]
    /// The calls that wait for a thread.
    var calls = RingBuffer<@Sendable () -> Void>()
    /// The number of threads that perform calls.
    var threads = 0
  }

  private let state = Guarded(State())

  /// The largest number of calls in progress.
  private static let width = 16

  /// Creates a transport with connections of its own.
  public init() {}

  /// Sends a request, and returns the complete response.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response, whatever its status is.
  /// - Throws: An error if there is no complete response.
  public func call(_ request: ClusterRequest) async throws(ClusterTransportError) -> ClusterResponse {
    let exchange = SocketExchange<ClusterResponse>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard exchange.begin({ continuation.resume(returning: $0) }) else { return }
        enqueue { [self] in
          // Not for a caller that has given up waiting.
          guard !exchange.isCancelled else { return }
          do throws(ClusterTransportError) {
            exchange.end(.success(try perform(request, in: exchange)))
          } catch {
            exchange.end(.failure(error))
          }
        }
      }
    } onCancel: {
      exchange.cancel()
    }
    return try result.get()
  }

  /// Returns a signal that sends a request for each subscription, and then each part of the response as it arrives.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal that finishes with the response, or fails.
  public func stream(_ request: ClusterRequest) -> AnySignal<Data, ClusterTransportError> {
    .create { sink in
      let exchange = SocketExchange<Void>()
      guard exchange.begin({ if case .failure(let error) = $0 { sink.fail(error) } else { sink.finish() } }) else {
        return SignalSubscription {}
      }
      DispatchQueue(label: "org.signals.cluster.stream", qos: .userInitiated).async {
        do throws(ClusterTransportError) {
          let connection = try Self.connect(request, within: .seconds(5))
          guard exchange.use(connection) else { return }
          try connection.send(Self.bytes(of: request))
          _ = try Self.receive(from: connection) { sink.send($0) }
          exchange.end(.success(()))
        } catch {
          exchange.end(.failure(error))
        }
      }
      return SignalSubscription { exchange.cancel() }
    }
  }

  // MARK: Threads

  /// Performs a call on a thread of its own, or after others.
  private func enqueue(_ call: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.calls.append(call)
      guard state.threads < Self.width else { return false }
      state.threads += 1
      return true
    }
    guard needsThread else { return }
    DispatchQueue(label: "org.signals.cluster.call", qos: .userInitiated).async { [self] in
      while let call = nextCall() { call() }
    }
  }

  /// Returns the next call, or `nil` if the thread is not needed any more.
  private func nextCall() -> (@Sendable () -> Void)? {
    state.withLock { state in
      if let call = state.calls.popFirst() { return call }
      state.threads -= 1
      return nil
    }
  }

  // MARK: Requests

  private func perform(
    _ request: ClusterRequest, in exchange: SocketExchange<ClusterResponse>
  ) throws(ClusterTransportError) -> ClusterResponse {
    let place = Self.place(of: request)
    let connection = if let idle = reusable(place) { idle } else { try Self.connect(request, within: request.timeout) }
    guard exchange.use(connection) else { throw .cancelled }
    try connection.send(Self.bytes(of: request))
    var body = Data()
    let parser = try Self.receive(from: connection) { body.append($0) }
    // The next call may have it at once, and a cancellation of this one must not end that.
    if exchange.release(), parser.keepsConnection { state.withLock { $0.idle[place, default: []].append(connection) } }
    return ClusterResponse(status: parser.status ?? 0, body: body)
  }

  /// Returns a connection that waits for a request, and forgets connections that the member has closed.
  private func reusable(_ place: String) -> SocketConnection? {
    while let connection = state.withLock({ $0.idle[place]?.popLast() }) {
      if connection.isIdle { return connection }
    }
    return nil
  }

  private static func place(of request: ClusterRequest) -> String {
    "\(request.url.host() ?? ""):\(request.url.port ?? 80)"
  }

  private static func connect(
    _ request: ClusterRequest, within time: Duration
  ) throws(ClusterTransportError) -> SocketConnection {
    guard request.url.scheme?.lowercased() == "http", let host = request.url.host(percentEncoded: false) else {
      throw ClusterTransportError(reason: "sockets support only the scheme http", isUnsent: true)
    }
    return try SocketConnection(host: host, port: request.url.port ?? 80, within: time)
  }

  /// Returns the request in the form of HTTP/1.1.
  private static func bytes(of request: ClusterRequest) -> Data {
    let path = request.url.path(percentEncoded: true)
    var head = "POST \(path.isEmpty ? "/" : path) HTTP/1.1\r\nHost: \(place(of: request))\r\n"
    for (name, value) in request.headers {
      // A line break in a value would be another field.
      head += "\(name): \(value.filter { !$0.isNewline })\r\n"
    }
    head += "Content-Length: \(request.body.count)\r\n\r\n"
    return Data(head.utf8) + request.body
  }

  /// Receives a response, and passes on each part of its body.
  private static func receive(
    from connection: SocketConnection, _ part: (Data) -> Void
  ) throws(ClusterTransportError) -> ResponseParser {
    var parser = ResponseParser()
    while !parser.isDone {
      let data = try connection.receive()
      guard !data.isEmpty else {
        guard parser.end() else {
          throw ClusterTransportError(reason: "the member closed the connection", isUnsent: false)
        }
        break
      }
      do throws(ResponseParser.Malformed) {
        let body = try parser.append(data)
        if !body.isEmpty { part(body) }
      } catch {
        throw ClusterTransportError(reason: error.reason, isUnsent: false)
      }
    }
    return parser
  }
}

extension ClusterTransportError {
  static let cancelled = ClusterTransportError(reason: "the request was cancelled", isUnsent: false)
}

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

  /// Takes the connection back, which a cancellation then leaves alone.
  ///
  /// - Returns: `false` if the exchange was cancelled before.
  func release() -> Bool {
    state.withLock { state in
      state.connection = nil
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

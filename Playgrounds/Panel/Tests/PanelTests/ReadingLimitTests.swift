import FlyingFox
import FlyingSocks
import Foundation
import Inspector
import Testing

@testable import Panel

/// Connections whose other side does not read.
@Suite struct ReadingLimitTests {
  /// A body without an end.
  private struct EndlessBody: AsyncBufferedSequence, AsyncBufferedIteratorProtocol {
    typealias Element = UInt8

    func makeAsyncIterator() -> EndlessBody { self }
    mutating func next() async throws -> UInt8? { 0 }
    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? { [UInt8](repeating: 0, count: 64 << 10) }
  }

  /// Runs a server, and returns the result of a closure that receives its port.
  private func serving<Result: Sendable>(
    limit: Duration, _ handler: @escaping @concurrent @Sendable (HTTPRequest) async throws -> HTTPResponse,
    _ body: (UInt16) async throws -> Result
  ) async throws -> Result {
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: 0), pool: ReadingLimit(limit, of: HTTPServer.defaultPool()),
      logger: .disabled, handler: ClosureHTTPHandler(handler))
    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port)? = await server.listeningAddress else { throw CocoaError(.fileReadUnknown) }
    return try await body(port)
  }

  private func connected(to port: UInt16) async throws -> AsyncSocket {
    let socket = try await AsyncSocket.connected(to: try .inet(ip4: "127.0.0.1", port: port))
    try await socket.write(Data("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
    return socket
  }

  @Test(.timeLimit(.minutes(1))) func `a page that does not read makes room for another one`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: directory) } catch {} }
    let hub = EventHub(try Inspector(directory: directory))
    let isOpen: @concurrent @Sendable (HTTPRequest) async throws -> HTTPResponse = { _ in
      guard let client = await hub.open(after: nil) else { return HTTPResponse(statusCode: .serviceUnavailable) }
      return HTTPResponse(
        statusCode: .ok,
        body: HTTPBodySequence(from: EndlessEvents(body: EndlessBody(), stream: .init(hub: hub, client: client))))
    }
    try await serving(limit: .milliseconds(200), isOpen) { port in
      var silent: [AsyncSocket] = []
      for _ in 0..<EventHub.clientLimit { silent.append(try await connected(to: port)) }
      var status = ""
      while status != "HTTP/1.1 200 OK" {
        let another = try await connected(to: port)
        status = String(decoding: try await another.read(bytes: 15), as: UTF8.self)
        try another.close()
      }
      for socket in silent { try socket.close() }
    }
  }

  /// An endless body that has a place among the streams of a hub.
  private struct EndlessEvents: AsyncBufferedSequence {
    typealias Element = UInt8
    let body: EndlessBody
    let stream: EventBody.Stream

    func makeAsyncIterator() -> EndlessBody { body }
  }

  // The page takes longer for all than the limit, which a busy machine does not reach between two reads.
  @Test(.timeLimit(.minutes(1))) func `a page that reads at times stays connected`() async throws {
    let count = 32 << 20
    let received = try await serving(limit: .seconds(5)) { _ in
      HTTPResponse(statusCode: .ok, body: Data(repeating: 0, count: count))
    } _: { port in
      let socket = try await connected(to: port)
      var received = 0
      var pauses = 0
      while received < count {
        let part = try await socket.read(atMost: 64 << 10)
        if part.isEmpty { break }
        received += part.count
        if received >> 20 > pauses {
          pauses += 1
          try await Task.sleep(for: .milliseconds(200))
        }
      }
      try socket.close()
      return received
    }
    #expect(received >= count)
  }
}

import Foundation
import Signals
import TestSupport
import Testing

@testable import Requests

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests that may take any time", .patient, .seeded)
struct RequestSessionTests {
  private let session = RequestSession(configuration: .ephemeral)

  private func response(to url: URL) async throws -> (status: Int, body: String) {
    var (status, body) = (0, "")
    for try await part in session.response(to: URLRequest(url: url, timeoutInterval: 60)).values {
      switch part {
      case .head(let head): status = head.statusCode
      case .body(let data): body += String(decoding: data, as: UTF8.self)
      }
    }
    return (status, body)
  }

  @Test
  func `a response arrives with its status, also if it has no body`() async throws {
    let server = try HTTPServer { request in
      request.line.contains("/empty") ? .respond(503) : .respond(200, body: "hello")
    }
    #expect(try await response(to: server.url) == (200, "hello"))
    #expect(try await response(to: server.url.appending(path: "empty")) == (503, ""))
  }

  @Test
  func `parts arrive while the connection is open, and a cancelled subscription closes it`() async throws {
    let closed = MutableProperty(false)
    let server = try HTTPServer { _ in
      .stream { write in
        // A server notices a closed connection by its next writes.
        while write(".") { usleep(1_000) }
        closed.value = true
      }
    }
    let count = MutableProperty(0)
    let subscription = session.response(to: URLRequest(url: server.url)).sink { _ in
    } receiveValue: { part in
      if case .body(let data) = part { count.modify { $0 += data.count } }
    }
    _ = try await count.firstValue("ten bytes") { $0 >= 10 }
    #expect(!closed.value)
    subscription.cancel()
    _ = try await closed.firstValue("the end of the connection") { $0 }
  }

  @Test
  func `a cut response fails`() async throws {
    let server = try HTTPServer { _ in .cut(body: "half") }
    await #expect(throws: URLError.self) { _ = try await response(to: server.url) }
    await #expect(throws: URLError.self) { _ = try await session.answer(to: URLRequest(url: server.url)) }
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `a redirection is not followed, neither to another host nor on the same one`(status: Int) async throws {
    let other = try HTTPServer { _ in .respond(200) }
    let server = try HTTPServer { request in
      let location = request.line.contains("/near") ? "/flags/other" : other.url.absoluteString
      return .respond(status, headers: ["Location": location])
    }
    for url in [server.url, server.url.appending(path: "near")] {
      #expect(try await response(to: url).status == status)
      var request = URLRequest(url: url)
      request.setValue("secret", forHTTPHeaderField: "Authorization")
      #expect(try await session.answer(to: request).head?.statusCode == status)
    }
    #expect(other.requests.value.isEmpty)
    #expect(!server.requests.value.contains { $0.line.contains("/other") })
  }

  @Test
  func `neither cookies nor answers are kept, even if the configuration says so`() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    let session = RequestSession(configuration: configuration)
    let server = try HTTPServer { _ in
      .respond(200, headers: ["Set-Cookie": "a=b", "Cache-Control": "max-age=600", "ETag": "1"], body: "x")
    }
    for _ in 0..<3 { _ = try await session.answer(to: URLRequest(url: server.url)) }
    #expect(server.requests.value.count == 3)
    #expect(server.requests.value.allSatisfy { $0.headers["cookie"] == nil && $0.headers["if-none-match"] == nil })
  }

  @Test
  func `a body over the limit is refused as soon as its size is known, and the connection is closed`() async throws {
    let closed = MutableProperty(false)
    let server = try HTTPServer { request in
      if request.line.contains("/known") { return .cut(body: "ten bytes.") }
      return .stream { write in
        while write("0123456789") {}
        closed.value = true
      }
    }
    await #expect(throws: BodyTooLarge(size: 110, limit: 100)) {
      _ = try await session.answer(to: URLRequest(url: server.url.appending(path: "known")), limit: 100)
    }
    await #expect(throws: BodyTooLarge.self) {
      _ = try await session.answer(to: URLRequest(url: server.url), limit: 100)
    }
    _ = try await closed.firstValue("the end of the connection") { $0 }
    server.answer { _ in .respond(200, body: String(repeating: "x", count: 100)) }
    #expect(try await session.answer(to: URLRequest(url: server.url), limit: 100).body.count == 100)
  }

  @Test
  func `a timeout of less than a second ends a request`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try HTTPServer { _ in .wait(gate, status: 200) }
    await #expect(throws: URLError.self) {
      _ = try await session.answer(to: URLRequest(url: server.url, timeoutInterval: 0.2))
    }
  }

  @Test
  func `a cancelled call ends at once, and its connection is closed`() async throws {
    let closed = MutableProperty(false)
    let server = try HTTPServer { _ in
      .stream { write in
        while write(".") { usleep(1_000) }
        closed.value = true
      }
    }
    let call = Task { try await session.answer(to: URLRequest(url: server.url)) }
    _ = try await server.requests.firstValue("the request") { !$0.isEmpty }
    call.cancel()
    await #expect(throws: CancellationError.self) { _ = try await call.value }
    _ = try await closed.firstValue("the end of the connection") { $0 }
  }

  @Test(arguments: ["stream", "cut", "answer", "redirection"])
  func `requests may be cancelled at any moment while their responses end`(_ kind: String) async throws {
    let server = try HTTPServer { _ in
      switch kind {
      case "stream": .stream { _ = $0("data: x\n\n") }
      case "cut": .cut(body: "half")
      case "answer": .respond(200, body: "whole")
      default: .respond(302, headers: ["Location": "/other"])
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          var chance = Chance(seed: Chance.seed &+ UInt64(number))
          for _ in 0..<Scale.count(100, torture: 5_000) {
            let session = chance.once(in: 2) ? RequestSession(configuration: .ephemeral) : session
            let subscriptions = (0..<3).map { _ in
              session.response(to: URLRequest(url: server.url)).sink { _ in
              } receiveValue: { _ in
              }
            }
            // A random moment, not a wait for something.
            try await Task.sleep(for: .microseconds(chance.number(below: 6_000)))
            for subscription in subscriptions { subscription.cancel() }
          }
        }
      }
      try await group.waitForAll()
    }
    server.answer { _ in .respond(200, body: "end") }
    #expect(try await response(to: server.url) == (200, "end"))
  }
}

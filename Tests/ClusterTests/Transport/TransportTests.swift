import Foundation
import Signals
import TestSupport
import Testing

@testable import Cluster

@Suite("Transports to a cluster", .withEtcd, .patient)
struct TransportTests {
  private let transports: [any ClusterTransport] = [SocketTransport(), URLSessionTransport()]

  private func request(_ base: URL, _ path: String, _ body: String) -> ClusterRequest {
    ClusterRequest(
      url: base.appending(path: path), headers: ["Content-Type": "application/json"], body: Data(body.utf8),
      timeout: .seconds(30))
  }

  @Test func `a call returns the status and the body, on a connection that is used again`() async throws {
    let fleet = try await Fleet()
    for transport in transports {
      for _ in 0..<20 {
        let good = try await transport.call(request(fleet.server.url, "v3/kv/range", #"{"key":"YQ=="}"#))
        #expect(good.status == 200)
        #expect(String(decoding: good.body, as: UTF8.self).contains("cluster_id"))
      }
      let bad = try await transport.call(request(fleet.server.url, "v3/nothing", "{}"))
      #expect(bad.status == 404)
    }
  }

  @Test func `a call that is cancelled after its end leaves its connection to the next one`() async throws {
    let fleet = try await Fleet()
    let port = try #require(fleet.server.url.port)
    try await onThread {
      let connection = try SocketConnection(host: "127.0.0.1", port: port, within: .seconds(30))
      let (first, second) = (SocketExchange<Void>(), SocketExchange<Void>())
      #expect(first.use(connection) && first.release())
      first.cancel()
      #expect(connection.isIdle)
      #expect(second.use(connection))
      second.cancel()
      #expect(!connection.isIdle && !second.release())
    }
  }

  @Test func `a stream sends each message as it arrives, until it is cancelled`() async throws {
    let fleet = try await Fleet()
    for (number, transport) in transports.enumerated() {
      let parts = MutableProperty("")
      let subscription = transport.stream(
        request(fleet.server.url, "v3/watch", #"{"create_request":{"key":"YQ=="}}"#)
      ).sink { _ in
      } receiveValue: { data in
        parts.modify { $0 += String(decoding: data, as: UTF8.self) }
      }
      try await parts.firstValue { $0.contains("created") }
      try await fleet.server.put("a", "value \(number)")
      let text = Data("value \(number)".utf8).base64EncodedString()
      try await parts.firstValue { $0.contains(text) }
      subscription.cancel()
    }
  }

  @Test func `a request that no one could receive is known to be unsent`() async throws {
    let nowhere = try #require(URL(string: "http://127.0.0.1:1"))
    for transport in transports {
      do {
        _ = try await transport.call(request(nowhere, "v3/kv/range", "{}"))
        Issue.record("no one listens there")
      } catch {
        #expect(error.isUnsent)
      }
    }
  }

  @Test func `hundreds of calls at once are all answered`() async throws {
    let fleet = try await Fleet()
    let transport = SocketTransport()
    let request = request(fleet.server.url, "v3/kv/range", #"{"key":"YQ=="}"#)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<300 { group.addTask { try await transport.call(request).status } }
      for try await status in group { #expect(status == 200) }
    }
  }

  @Test func `a cancelled call ends at once, although the member is silent`() async throws {
    let fleet = try await Fleet()
    fleet.server.signal(SIGSTOP)
    defer { fleet.server.signal(SIGCONT) }
    for transport in transports {
      let call = Task {
        try await transport.call(request(fleet.server.url, "v3/kv/range", #"{"key":"YQ=="}"#))
      }
      call.cancel()
      await #expect(throws: ClusterTransportError.self) { try await call.value }
    }
  }
}

import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
@testable import Tweaks

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A remote provider and a real server")
struct RemoteServerTests {
  private static func body(_ value: Int) -> String { #"{"f": {"v": {"Value": \#(value)}, "w": {"Value": \#(value)}}}"# }

  private static func good(_ value: Int) -> HTTPServer.Action {
    .respond(200, headers: ["ETag": "\"\(value)\""], body: body(value))
  }

  private func provider(
    _ server: HTTPServer, cache: TweakCache? = nil, context: TweakContext = TweakContext(),
    policy: RemoteTweakPolicy = .onRequest
  ) -> RemoteTweakProvider {
    RemoteTweakProvider(
      context: context, cache: cache, policy: policy, fetch: HTTPTweakFetcher(url: server.url).fetch)
  }

  @Test(.patient, .seeded) func `requests that are cancelled while their answers arrive all end`() async throws {
    let server = try HTTPServer { _ in Self.good(1) }
    let fetcher = HTTPTweakFetcher(url: server.url)
    var chance = Chance()
    var answers = 0
    for _ in 0..<Scale.count(200, torture: 5_000) {
      let request = Task { try await fetcher.fetch(TweakRequest()) }
      // A random moment, not a wait for something.
      try await Task.sleep(for: .microseconds(chance.number(below: 4_000)))
      request.cancel()
      if case .success = await request.result { answers += 1 }
    }
    #expect(server.requests.value.count >= answers)
  }

  @Test(.patient)
  func `an answer is used, confirmed by 304 and replaced as a whole`() async throws {
    let server = try HTTPServer { request in
      request.headers["if-none-match"] == "\"1\"" ? .respond(304) : Self.good(1)
    }
    let provider = provider(server)
    let manager = TweakManager(providers: [provider])
    let changes = manager.changes.recorded()
    let sums = Property.derived(
      manager.property(for: TweakKey("f", "v", default: 0)), manager.property(for: TweakKey("f", "w", default: 0))
    ) { $0 + $1 }.recorded()
    try await provider.refresh()
    let first = try #require(provider.status.value.fetchDate)
    try await provider.refresh()
    #expect(server.requests.value.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
    #expect(changes.elements.count == 2)
    #expect(try #require(provider.status.value.fetchDate) >= first)
    server.answer { _ in Self.good(2) }
    try await provider.refresh()
    #expect(provider.shown == 2)
    // No observer saw one new value together with one old one.
    #expect(sums.elements.allSatisfy { $0 % 2 == 0 })
  }

  @Test(.patient)
  func `500, garbage and cut connections keep the last good values and the ETag`() async throws {
    let fixture = try CacheFixture()
    let server = try HTTPServer { _ in Self.good(1) }
    let provider = provider(server, cache: fixture.cache)
    try await provider.refresh()
    let stored = try Data(contentsOf: fixture.entry())
    let actions: [HTTPServer.Action] = [
      .respond(500, body: "<html>"), .respond(200, headers: ["ETag": "\"9\""], body: "<html>"),
      .respond(200, headers: ["ETag": "\"9\""], body: #"{"f": {"v": {"Value": null}}}"#),
      .cut(body: Self.body(9)), .raw("HTTP/1.1 200"), .raw("garbage\r\n\r\n"), .raw(""),
    ]
    for action in actions {
      server.answer { _ in action }
      await #expect(throws: TweakError.self) { try await provider.refresh() }
      #expect(provider.shown == 1)
      guard case .error = provider.status.value.state else {
        Issue.record("\(action): \(provider.status.value.state)")
        continue
      }
      #expect(try Data(contentsOf: fixture.entry()) == stored)
    }
    // URLSession may repeat a request whose connection was cut.
    #expect(Set(server.requests.value.dropFirst().map { $0.headers["if-none-match"] }) == ["\"1\""])
    server.answer { _ in .respond(304) }
    try await provider.refresh()
    #expect(provider.status.value.state == .ready)
  }

  @Test(.patient)
  func `a hanging server delays neither the start nor reads, and a late answer takes effect`() async throws {
    let gate = Gate()
    let server = try HTTPServer { _ in .wait(gate, status: 200, body: Self.body(1)) }
    let clock = TestClock()
    let provider = RemoteTweakProvider(
      time: TweakTime(clock: clock, startingAt: Date()), fetch: HTTPTweakFetcher(url: server.url).fetch)
    #expect(provider.shown == nil)
    let origin = Task { await provider.ready(within: .seconds(3)) }
    try await server.requests.firstValue("the request") { !$0.isEmpty }
    // One alarm is for the request, and one for the wait.
    while clock.scheduledCount < 2 { await Task.yield() }
    await clock.advance(by: .seconds(3))
    #expect(await origin.value == .none)
    gate.open()
    _ = try await provider.status.firstValue("the answer") { $0.state == .ready }
    #expect(provider.shown == 1)
    #expect(await provider.ready(within: .seconds(3)) == .network)
  }

  @Test(.patient)
  func `a refusal is fatal and ends the wait`() async throws {
    let server = try HTTPServer { _ in .respond(401) }
    let provider = provider(server, policy: RemoteTweakPolicy())
    #expect(await provider.ready(within: .seconds(600)) == .none)
    #expect(provider.status.value.state == .fatal(.status(401)))
  }

  @Test(.patient)
  func `users are switched while requests are in progress`() async throws {
    let fixture = try CacheFixture()
    let gate = Gate()
    let server = try HTTPServer { request in
      request.headers["x-user"] == "anna"
        ? .wait(gate, status: 200, body: Self.body(1)) : .respond(200, body: Self.body(2))
    }
    let fetcher = HTTPTweakFetcher(url: server.url) { request, message in
      message.setValue(request.context.targetingKey, forHTTPHeaderField: "X-User")
    }
    func provider(_ user: String) -> RemoteTweakProvider {
      RemoteTweakProvider(
        context: TweakContext(targetingKey: user), cache: fixture.cache, policy: .onRequest, fetch: fetcher.fetch)
    }
    let anna = provider("anna")
    let values = TweakManager(providers: [anna]).signal(for: TweakKey("f", "v", default: 0)).recorded()
    let late = Task { try await anna.refresh() }
    try await server.requests.firstValue("the request") { !$0.isEmpty }
    try await anna.identify(TweakContext(targetingKey: "ben"))
    await #expect(throws: TweakError.requestFailed(provider: anna.name, .superseded)) { try await late.value }
    gate.open()
    // The late answer goes to the cache of its own user.
    while provider("anna").shown != 1 { await Task.yield() }
    #expect(anna.shown == 2)
    #expect(values.elements == [0, 2])
    #expect(provider("ben").shown == 2)
  }

  @Test(.patient)
  func `a flag that the server removes has its default, with one change`() async throws {
    let server = try HTTPServer { _ in Self.good(1) }
    let provider = RemoteTweakProvider(
      bootstrap: [Tweak(feature: "f", variable: "old", value: 5)], policy: .onRequest,
      fetch: HTTPTweakFetcher(url: server.url).fetch)
    let manager = TweakManager(providers: [provider])
    let old = TweakKey("f", "old", default: 0)
    #expect(manager.details(for: old).reason == .static)
    let values = manager.signal(for: TweakKey("f", "v", default: 0)).recorded()
    try await provider.refresh()
    #expect(manager[old] == 0)
    server.answer { _ in .respond(200, body: #"{"f": {"w": {"Value": 1}}}"#) }
    try await provider.refresh()
    #expect(values.elements == [0, 1, 0])
  }

  @Test(.patient)
  func `a body over the limit is refused before it is decoded`() async throws {
    let server = try HTTPServer { _ in .respond(200, body: String(repeating: "x", count: 2_000)) }
    var policy = RemoteTweakPolicy.onRequest
    policy.maximumBodySize = 1_000
    let provider = provider(server, policy: policy)
    let failure = TweakError.requestFailed(provider: provider.name, .tooLarge(size: 2_000, limit: 1_000))
    await #expect(throws: failure) { try await provider.refresh() }
  }

  @Test(.patient)
  func `Retry-After of an answer postpones the next request`() async throws {
    let server = try HTTPServer { _ in .respond(503, headers: ["Retry-After": "90"]) }
    await #expect(throws: TweakRequestFailure.status(503, retryAfter: .seconds(90))) {
      try await HTTPTweakFetcher(url: server.url).fetch(TweakRequest())
    }
  }

  @Test(.patient, arguments: [301, 302, 303, 307, 308])
  func `the key of an app follows no redirection, and neither does the connection of a stream`(
    _ status: Int
  ) async throws {
    let other = try HTTPServer { _ in Self.good(1) }
    let server = try HTTPServer { _ in .respond(status, headers: ["Location": other.url.absoluteString]) }
    @Sendable func prepare(_ message: inout URLRequest) {
      message.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
      message.setValue("secret", forHTTPHeaderField: "X-Api-Key")
    }
    let fetcher = HTTPTweakFetcher(url: server.url) { prepare(&$1) }
    let stream = HTTPTweakStream(url: server.url, prepare: { prepare(&$1) })
    let provider = RemoteTweakProvider(policy: .onRequest, stream: stream.connect, fetch: fetcher.fetch)
    let failures = provider.failures.recorded()
    let failure = TweakError.requestFailed(provider: provider.name, .status(status))
    await #expect(throws: failure) { try await provider.refresh() }
    try await failures.wait(for: "the failure") { $0.contains(failure) }
    #expect("\(failure)".contains("redirect"))
    #expect(other.requests.value.isEmpty)
    #expect(server.requests.value.allSatisfy { $0.headers["x-api-key"] == "secret" })
    provider.isOffline = true
  }

  @Test(.patient)
  func `no cookie of one answer is sent with the next request, which may be for another user`() async throws {
    let server = try HTTPServer { request in
      let headers = ["Set-Cookie": "session=anna", "ETag": "1"]
      return request.line.contains("/stream")
        ? .respond(503, headers: headers) : .respond(200, headers: headers, body: Self.body(1))
    }
    let fetcher = HTTPTweakFetcher(url: server.url)
    let stream = HTTPTweakStream(url: server.url.appending(path: "stream"))
    for _ in 0..<2 {
      _ = try await fetcher.fetch(TweakRequest())
      await #expect(throws: TweakRequestFailure.status(503)) {
        for try await _ in stream.connect(TweakRequest(context: TweakContext())).values {}
      }
    }
    #expect(server.requests.value.count == 4)
    #expect(server.requests.value.allSatisfy { $0.headers["cookie"] == nil })
  }

  @Test(.patient)
  func `an endless body is refused while it arrives, and the connection is closed`() async throws {
    let closed = MutableProperty(false)
    let server = try HTTPServer { _ in
      .stream(type: "application/json") { write in
        while write(String(repeating: " ", count: 10_000)) {}
        closed.value = true
      }
    }
    let provider = provider(server)
    do {
      try await provider.refresh()
      Issue.record("the body was accepted")
    } catch {
      guard case .requestFailed(_, .tooLarge(_, limit: 1 << 20)) = error else {
        Issue.record("\(error)")
        return
      }
    }
    _ = try await closed.firstValue("the end of the connection") { $0 }
  }

  @Test(.patient)
  func `a timeout of less than a second ends a request`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try HTTPServer { _ in .wait(gate, status: 200, body: Self.body(1)) }
    let fetcher = HTTPTweakFetcher(url: server.url, timeout: 0.2)
    await #expect(throws: URLError.self) { _ = try await fetcher.fetch(TweakRequest()) }
  }
}

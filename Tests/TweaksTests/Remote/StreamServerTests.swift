import Dispatch
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
@testable import Tweaks

@Suite("A stream of a real server", .patient)
struct StreamServerTests {
  private static func patch(_ version: Int) -> String {
    #"id: \#(version)\#ndata: {"version": \#(version), "tweaks": {"f": {"v": {"Value": \#(version)}}}}\#n\#n"#
  }

  private static func body(_ version: Int) -> HTTPServer.Action {
    let headers = ["ETag": "\"\(version)\"", "X-Version": "\(version)"]
    return .respond(200, headers: headers, body: #"{"f": {"v": {"Value": \#(version)}}}"#)
  }

  private func provider(
    _ server: HTTPServer, policy: RemoteTweakPolicy = RemoteTweakPolicy()
  ) -> RemoteTweakProvider {
    var policy = policy
    policy.retry = .constant(.milliseconds(5))
    let fetcher = HTTPTweakFetcher(url: server.url, versionField: "X-Version")
    let stream = HTTPTweakStream(url: server.url.appending(path: "stream"))
    return RemoteTweakProvider(policy: policy, stream: stream.connect, fetch: fetcher.fetch)
  }

  private func value(_ provider: RemoteTweakProvider, _ number: Int) async throws {
    let manager = TweakManager(providers: [provider])
    _ = try await manager.property(for: TweakKey("f", "v", default: 0)).firstValue("\(number)") { $0 == number }
  }

  private static func failure(of provider: RemoteTweakProvider) async -> TweakError? {
    do throws(TweakError) {
      try await provider.refresh()
      return nil
    } catch {
      return error
    }
  }

  private func streams(_ server: HTTPServer) -> [HTTPServer.Request] {
    server.requests.value.filter { $0.line.contains("/stream") }
  }

  @Test
  func `patches arrive while the connection is open, and nothing is polled`() async throws {
    let feed = Feed()
    let server = try HTTPServer { request in
      request.line.contains("/stream") ? .stream { feed.run($0) } : Self.body(1)
    }
    let provider = provider(server)
    try await value(provider, 1)
    for version in 2...20 {
      feed.send(Self.patch(version) + ": still here\n\n")
      try await value(provider, version)
    }
    #expect(server.requests.value.count == 2)
    #expect(streams(server).first?.headers["accept"] == "text/event-stream")
    feed.send(nil)
  }

  @Test
  func `after a cut in the middle of an event, the next connection continues with the last whole one`() async throws {
    let connections = MutableProperty(0)
    let feed = Feed()
    let server = try HTTPServer { request in
      guard request.line.contains("/stream") else { return Self.body(1) }
      connections.modify { $0 += 1 }
      let number = connections.value
      return .stream { write in
        if number == 1 { _ = write(Self.patch(2) + Self.patch(3).prefix(30)) }
        if number == 2 { _ = write(Self.patch(3) + "data: {") }
        if number == 3 { feed.run(write) }
      }
    }
    let provider = provider(server)
    try await value(provider, 3)
    _ = try await connections.firstValue("the third connection") { $0 == 3 }
    feed.send(Self.patch(4))
    try await value(provider, 4)
    #expect(streams(server).map { $0.headers["last-event-id"] } == [nil, "2", "3"])
    #expect(provider.status.value.state == .ready)
    feed.send(nil)
  }

  @Test
  func `a gap leads to one request without an ETag, and later patches follow its answer`() async throws {
    let feed = Feed()
    let version = MutableProperty(1)
    let server = try HTTPServer { request in
      request.line.contains("/stream") ? .stream { feed.run($0) } : Self.body(version.value)
    }
    let provider = provider(server)
    try await value(provider, 1)
    version.value = 5
    feed.send(Self.patch(6))
    try await value(provider, 6)
    feed.send(Self.patch(7))
    try await value(provider, 7)
    let fetches = server.requests.value.filter { !$0.line.contains("/stream") }
    #expect(fetches.map { $0.headers["if-none-match"] } == [nil, nil])
    feed.send(nil)
  }

  @Test(arguments: ["refused", "page", "garbage", "endless"])
  func `a stream that is none is reported, keeps the values, and is tried again`(_ fault: String) async throws {
    let feed = Feed()
    let connections = MutableProperty(0)
    let server = try HTTPServer { request in
      guard request.line.contains("/stream") else { return Self.body(1) }
      connections.modify { $0 += 1 }
      if connections.value > 3 { return .stream { feed.run($0) } }
      switch fault {
      case "refused": return .respond(503)
      case "page": return .stream(type: "text/html") { _ = $0("<html>") }
      case "garbage": return .stream { _ = $0("data: {}\n\n") }
      default: return .stream { write in while write(String(repeating: "x", count: 100_000)) {} }
      }
    }
    let provider = provider(server)
    let failures = provider.failures.recorded()
    try await value(provider, 1)
    _ = try await failures.wait(for: "a failure") { !$0.isEmpty }
    feed.send(Self.patch(2))
    try await value(provider, 2)
    let kinds = failures.elements.map { "\($0)" }
    let expected = ["refused": "503", "page": "text/html", "garbage": "version", "endless": "limit"][fault] ?? ""
    #expect(kinds.contains { $0.contains(expected) }, "\(kinds)")
    feed.send(nil)
  }

  @Test
  func `a request in progress does not undo a patch that overtakes its answer`() async throws {
    let feed = Feed()
    let gate = Gate()
    let server = try HTTPServer { request in
      request.line.contains("/stream") ? .stream { feed.run($0) } : Self.body(6)
    }
    let provider = provider(server)
    try await value(provider, 6)
    _ = try await server.requests.firstValue("the connection") { $0.count == 2 }
    server.answer { _ in
      .wait(gate, status: 200, headers: ["X-Version": "6"], body: #"{"f": {"v": {"Value": 6}}}"#)
    }
    let manager = TweakManager(providers: [provider])
    let values = manager.signal(for: TweakKey("f", "v", default: 0)).recorded()
    let refresh = Task { try await provider.refresh() }
    _ = try await server.requests.firstValue("the request") { $0.count == 3 }
    feed.send(Self.patch(7))
    try await value(provider, 7)
    gate.open()
    try await refresh.value
    #expect(values.elements == [6, 7])
    feed.send(nil)
  }

  @Test
  func `a gap is closed although its first request fails and nothing is polled`() async throws {
    let feed = Feed()
    let fetches = MutableProperty(0)
    let server = try HTTPServer { request in
      if request.line.contains("/stream") { return .stream { feed.run($0) } }
      let number = fetches.modify { count -> Int in
        count += 1
        return count
      }
      return number == 1 ? Self.body(1) : number == 2 ? .respond(500) : Self.body(3)
    }
    let provider = provider(server, policy: .onRequest)
    try await provider.refresh()
    feed.send(Self.patch(3))
    feed.send(Self.patch(4))
    try await value(provider, 4)
    #expect(fetches.value == 3)
    feed.send(nil)
  }

  @Test
  func `after a refusal and a refresh that succeeds, patches arrive again`() async throws {
    let feeds = [Feed(), Feed()]
    let connections = MutableProperty(0)
    let isRefused = MutableProperty(false)
    let server = try HTTPServer { request in
      if !request.line.contains("/stream") { return isRefused.value ? .respond(401) : Self.body(1) }
      let number = connections.modify { count -> Int in
        count += 1
        return count
      }
      return .stream { feeds[min(number, 2) - 1].run($0) }
    }
    let provider = provider(server)
    try await value(provider, 1)
    _ = try await connections.firstValue("the first connection") { $0 == 1 }
    isRefused.value = true
    await #expect(throws: TweakError.self) { try await provider.refresh() }
    #expect(provider.status.value.state == .fatal(.status(401)))
    isRefused.value = false
    try await provider.refresh()
    #expect(provider.status.value.state == .ready)
    feeds[1].send(Self.patch(2))
    try await value(provider, 2)
    for feed in feeds { feed.send(nil) }
  }

  @Test
  func `Retry-After of a refused stream postpones requests, too`() async throws {
    let server = try HTTPServer { request in
      request.line.contains("/stream") ? .respond(503, headers: ["Retry-After": "600"]) : Self.body(1)
    }
    let provider = provider(server, policy: .onRequest)
    let failures = provider.failures.recorded()
    _ = try await failures.wait(for: "the refusal") { !$0.isEmpty }
    // The failure is reported before the machine knows of it.
    for _ in 0..<10_000 {
      if let failure = await Self.failure(of: provider) {
        guard case .requestFailed(_, .postponed) = failure else {
          Issue.record("\(failure)")
          return
        }
        break
      }
      await Task.yield()
    }
    await #expect(throws: TweakError.self) { try await provider.refresh() }
    #expect(streams(server).count == 1)
  }

  @Test
  func `heartbeats do not end a stream, however many there are`() async throws {
    let feed = Feed()
    let server = try HTTPServer { request in
      request.line.contains("/stream") ? .stream { feed.run($0) } : Self.body(1)
    }
    let stream = HTTPTweakStream(url: server.url.appending(path: "stream"), eventLimit: 1_024)
    let fetcher = HTTPTweakFetcher(url: server.url, versionField: "X-Version")
    let provider = RemoteTweakProvider(policy: .onRequest, stream: stream.connect, fetch: fetcher.fetch)
    try await provider.refresh()
    feed.send(String(repeating: ": ping\n", count: 300))
    feed.send(Self.patch(2))
    try await value(provider, 2)
    #expect(streams(server).count == 1)
    feed.send(nil)
  }

  @Test
  func `another user and an offline provider close the connection`() async throws {
    let closed = MutableProperty(0)
    let server = try HTTPServer { request in
      guard request.line.contains("/stream") else { return Self.body(1) }
      return .stream { write in
        // A server notices a closed connection by its next writes.
        while write(": ping\n\n") { usleep(1_000) }
        closed.modify { $0 += 1 }
      }
    }
    let provider = provider(server)
    try await value(provider, 1)
    // A connection that is cancelled before the server has seen it is never closed there.
    _ = try await server.requests.firstValue("the first connection") { $0.count { $0.line.contains("/stream") } == 1 }
    try await provider.identify(TweakContext(targetingKey: "ben"))
    _ = try await closed.firstValue("the end of the first connection") { $0 == 1 }
    _ = try await server.requests.firstValue("the second connection") { $0.count { $0.line.contains("/stream") } == 2 }
    provider.isOffline = true
    _ = try await closed.firstValue("the end of the second connection") { $0 == 2 }
  }

  @Test(.seeded)
  func `streams may be cancelled at any moment while the server cuts them`() async throws {
    let server = try HTTPServer { _ in .stream { _ = $0(Self.patch(1)) } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          var chance = Chance(seed: Chance.seed &+ UInt64(number))
          for _ in 0..<Scale.count(100, torture: 2_000) {
            let stream = HTTPTweakStream(url: server.url)
            let subscriptions = (0..<3).map { _ in
              stream.connect(TweakRequest(context: TweakContext())).sink { _ in
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
    let patches = MutableProperty(0)
    let subscription = HTTPTweakStream(url: server.url).connect(TweakRequest(context: TweakContext()))
      .sink { _ in
      } receiveValue: { _ in
        patches.modify { $0 += 1 }
      }
    _ = try await patches.firstValue("a patch of one more stream") { $0 == 1 }
    subscription.cancel()
  }
}

/// The texts that a server writes, one after another.
private final class Feed: Sendable {
  private let texts = MutableProperty<[String?]>([])
  private let count = DispatchSemaphore(value: 0)

  /// Adds a text, or the end of the answer.
  func send(_ text: String?) {
    texts.modify { $0.append(text) }
    count.signal()
  }

  /// Writes all texts until the end.
  func run(_ write: (String) -> Bool) {
    while true {
      count.wait()
      let text: String? = texts.modify { $0.removeFirst() }
      guard let text, write(text) else { return }
    }
  }
}

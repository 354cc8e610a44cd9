import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Presence, leaders and locks of a cluster", .withEtcd, .patient, .serialized)
struct MembersTests {
  private let brief = ClusterOptions(
    deadline: .seconds(5), patience: .seconds(1), sessionTime: .seconds(2),
    backoff: .exponential(from: .milliseconds(20), upTo: .milliseconds(200)))

  @Test func `announcements appear in every process, change, and end`() async throws {
    let fleet = try await Fleet()
    let here = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let there = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let first = try await here.announce("one")
    let second = try await there.announce("two")
    try await here.firstValue { $0.map(\.value) == ["one", "two"] }
    try await there.firstValue { $0.map(\.value) == ["one", "two"] }
    try await second.write("three")
    try await here.firstValue { $0.map(\.value) == ["one", "three"] }
    await first.withdraw()
    #expect(here.value.map(\.value) == ["three"])
    try await there.firstValue { $0.map(\.value) == ["three"] }
  }

  @Test func `case 10: a process whose session expired announces itself again`() async throws {
    let fleet = try await Fleet()
    let watching = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let present = ClusterPresence<String>(name: "workers", cluster: try fleet.connect(options: brief))
    let token = try await present.announce("worker")
    let before = try #require(try await watching.firstValue { !$0.isEmpty }.first)
    try await fleet.server.endAllLeases()
    try await watching.firstValue { $0.isEmpty }
    let after = try #require(try await watching.firstValue { !$0.isEmpty }.first)
    #expect(after.id != before.id)
    #expect(after.revision > before.revision)
    await token.withdraw()
  }

  @Test func `a process that ends disappears when its session expires`() async throws {
    let fleet = try await Fleet()
    let watching = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    // Another process, which has stored an announcement and ended.
    let answer = try await fleet.server.post("v3/lease/grant", ["TTL": "1"])
    let lease = try #require(answer.firstMatch(of: /"ID":"([0-9]+)"/)?.1)
    try await fleet.server.post(
      "v3/kv/put",
      [
        "key": Data("fleet/!presence/workers/dead-1".utf8).base64EncodedString(),
        "value": Data("\"dead\"".utf8).base64EncodedString(), "lease": String(lease),
      ])
    try await watching.firstValue { $0.map(\.value) == ["dead"] }
    try await watching.firstValue { $0.isEmpty }
  }

  @Test func `one candidate leads, and the next one follows with a larger token`() async throws {
    let fleet = try await Fleet()
    let first = ClusterLeader<String>(name: "scheduler", cluster: try fleet.connect())
    let second = ClusterLeader<String>(name: "scheduler", cluster: try fleet.connect())
    let one = try await first.campaign("one")
    let token = try #require(try await one.leadership.firstValue { $0 != nil })
    let two = try await second.campaign("two")
    try await second.leader.firstValue { $0?.value == "one" }
    #expect(two.leadership.value == nil)
    await one.resign()
    let next = try #require(try await two.leadership.firstValue { $0 != nil })
    #expect(next > token)
    try await first.leader.firstValue { $0?.value == "two" }
    #expect(one.leadership.value == nil)
  }

  @Test func `case 10: a leader whose session expired leads no more`() async throws {
    let fleet = try await Fleet()
    let first = ClusterLeader<String>(name: "scheduler", cluster: try fleet.connect(options: brief))
    let second = ClusterLeader<String>(name: "scheduler", cluster: try fleet.connect())
    let one = try await first.campaign("one")
    try await one.leadership.firstValue { $0 != nil }
    let two = try await second.campaign("two")
    try await second.leader.firstValue { $0?.value == "one" }
    // Only the session of the first one, whose time is short.
    let answer = try await fleet.server.post("v3/lease/leases", [:])
    let ids = answer.matches(of: /"ID":"([0-9]+)"/).map { String($0.1) }
    for id in ids {
      let life = try await fleet.server.post("v3/lease/timetolive", ["ID": id])
      if life.contains("\"grantedTTL\":\"2\"") { try await fleet.server.post("v3/lease/revoke", ["ID": id]) }
    }
    try await two.leadership.firstValue { $0 != nil }
    try await one.leadership.firstValue { $0 == nil }
    withExtendedLifetime((one, two)) {}
  }

  @Test func `a lock is held by one task at a time, with growing tokens`() async throws {
    let fleet = try await Fleet()
    let holders = MutableProperty(0)
    let tokens = MutableProperty<[Int64]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let lock = ClusterLock(name: "migration", cluster: try fleet.connect())
        group.addTask {
          for _ in 0..<5 {
            try await lock.withLock { token in
              #expect(
                holders.modify { (count: inout Int) -> Int in
                  count += 1; return count
                } == 1)
              tokens.modify { $0.append(token) }
              await Task.yield()
              holders.modify { $0 -= 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(tokens.value.count == 15)
    #expect(zip(tokens.value, tokens.value.dropFirst()).allSatisfy { $0 < $1 })
  }

  // MARK: Keys that must not stay

  /// A session that outlasts a test, so that no key disappears by itself.
  private let lasting = ClusterOptions(
    deadline: .seconds(5), patience: .seconds(3), sessionTime: .seconds(600),
    backoff: .exponential(from: .milliseconds(20), upTo: .milliseconds(200)))

  @Test func `a lock whose task is cancelled is released`() async throws {
    let fleet = try await Fleet()
    let lock = ClusterLock(name: "migration", cluster: try fleet.connect(options: lasting))
    let (entered, holds) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await lock.withLock { _ in
        holds.yield()
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    for await _ in entered { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // Another process, and then the same one again.
    let other = ClusterLock(name: "migration", cluster: try fleet.connect(options: lasting))
    try await within60Seconds { try await other.withLock { _ in } }
    try await within60Seconds { try await lock.withLock { _ in } }
  }

  @Test func `an announcement that is withdrawn in a cancelled task ends`() async throws {
    let fleet = try await Fleet()
    let watching = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let present = ClusterPresence<String>(name: "workers", cluster: try fleet.connect(options: lasting))
    let token = try await present.announce("worker")
    try await watching.firstValue { !$0.isEmpty }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await token.withdraw()
    }
    await task.value
    try await watching.firstValue { $0.isEmpty }
  }

  @Test func `an announcement that is withdrawn while the cluster is silent ends when it answers`() async throws {
    let fleet = try await Fleet()
    let watching = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let transport = FaultyTransport()
    let present = ClusterPresence<String>(
      name: "workers", cluster: try fleet.connect(over: transport, options: lasting))
    let token = try await present.announce("worker")
    try await watching.firstValue { !$0.isEmpty }
    transport.set { $0.url.path.hasSuffix("txn") ? .requestLost : .answered }
    await token.withdraw()
    #expect(watching.value.count == 1)
    transport.set { _ in .answered }
    try await watching.firstValue { $0.isEmpty }
  }

  @Test func `an announcement that failed because its answer was late does not stay`() async throws {
    let fleet = try await Fleet()
    let watching = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let transport = FaultyTransport()
    let present = ClusterPresence<String>(
      name: "workers", cluster: try fleet.connect(over: transport, options: lasting))
    transport.set { $0.url.path.hasSuffix("txn") ? .answerLost : .answered }
    await #expect(throws: ClusterError.self) { try await present.announce("worker") }
    transport.set { _ in .answered }
    let last = try await present.announce("last")
    try await watching.firstValue { $0.map(\.value) == ["last"] }
    await last.withdraw()
  }

  @Test func `an announcement that arrives after its removal has no effect`() async throws {
    let fleet = try await Fleet()
    let transport = FaultyTransport()
    let watching = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let present = ClusterPresence<String>(
      name: "workers", cluster: try fleet.connect(over: transport, options: lasting))
    let token = try await present.announce("early")
    transport.set { $0.url.path.hasSuffix("txn") ? .delayed : .answered }
    await #expect(throws: ClusterError.self) { try await token.write("late") }
    transport.set { _ in .answered }
    await token.withdraw()
    try await watching.firstValue { $0.isEmpty }
    try await transport.deliverDelayed()
    let last = try await present.announce("last")
    try await watching.firstValue { $0.last?.value == "last" }
    #expect(watching.value.map(\.value) == ["last"])
    await last.withdraw()
  }

  @Test func `a value that arrives after a later one has no effect`() async throws {
    let fleet = try await Fleet()
    let transport = FaultyTransport()
    let watching = ClusterPresence<String>(name: "workers", cluster: try fleet.connect())
    let present = ClusterPresence<String>(
      name: "workers", cluster: try fleet.connect(over: transport, options: lasting))
    let token = try await present.announce("v0")
    let early = Data("\"v1\"".utf8).base64EncodedString()
    let once = Counter(1)
    transport.set { String(decoding: $0.body, as: UTF8.self).contains(early) && once.take() ? .delayed : .answered }
    // The first attempt is delayed, and the second one succeeds.
    try await token.write("v1")
    try await token.write("v2")
    try await transport.deliverDelayed()
    let last = try await present.announce("last")
    try await watching.firstValue { $0.last?.value == "last" }
    #expect(watching.value.map(\.value) == ["v2", "last"])
    await token.withdraw()
    await last.withdraw()
    try await watching.firstValue { $0.isEmpty }
  }

  // MARK: The loss of a session

  @Test func `a leader without a network stops leading before another one leads`() async throws {
    let fleet = try await Fleet()
    let transport = FaultyTransport()
    let first = ClusterLeader<String>(name: "scheduler", cluster: try fleet.connect(over: transport, options: brief))
    let second = ClusterLeader<String>(name: "scheduler", cluster: try fleet.connect())
    for _ in 0..<3 {
      transport.set { _ in .answered }
      transport.mend()
      let one = try await first.campaign("one")
      try await one.leadership.firstValue { $0 != nil }
      let two = try await second.campaign("two")
      try await second.leader.firstValue { $0?.value == "one" }
      let both = Guarded(false)
      let judging = two.leadership.sink { token in
        if token != nil, one.leadership.value != nil { both.withLock { $0 = true } }
      }
      transport.set { _ in .requestLost }
      transport.cut()
      try await two.leadership.firstValue { $0 != nil }
      #expect(!both.withLock { $0 })
      judging.cancel()
      await two.resign()
      withExtendedLifetime(one) {}
    }
  }
}

/// Fails if something takes longer than a busy machine needs.
private func within60Seconds(_ body: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: .seconds(60))
      throw TimedOut()
    }
    defer { group.cancelAll() }
    try await group.next()
  }
}

private struct TimedOut: Error {}

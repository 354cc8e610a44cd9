import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Changes whose answer is lost", .withEtcd, .patient, .seeded, .serialized)
struct UncertainWriteTests {
  @Test func `case 8: an update is made once, although its answer was lost`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(over: network))
    network.loseAnswers(2)
    try await count.update { $0 += 1 }
    #expect(try await count.read() == 1)
    network.loseAnswers(3, as: .requestLost)
    try await count.update { $0 += 1 }
    #expect(try await count.read() == 2)
  }

  @Test func `case 8: a request that arrives late has no effect any more`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(over: network))
    network.loseAnswers(1, as: .delayed)
    try await count.write(1)
    try await fleet.server.put("fleet/count", "50")
    try await network.deliverDelayed()
    #expect(try await count.read() == 50)
  }

  @Test func `case 8: a change whose answer is not one of etcd's is made once`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(over: network))
    let answers = ["<html>", #"{"header":{"revision":"5"}}"#, #"{"header":{"revision":"5"},"succeeded":true}"#]
    for (number, answer) in answers.enumerated() {
      network.loseAnswers(1, as: .garbled(answer))
      try await count.update { $0 += 1 }
      #expect(try await count.read() == number + 1)
    }
  }

  @Test func `case 8: random losses lose no increment and repeat none`() async throws {
    let fleet = try await Fleet()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        let network = FaultyTransport()
        let cluster = try fleet.connect(over: network)
        let chance = Guard(seed: Chance.seed &+ UInt64(number))
        group.addTask {
          let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: cluster)
          network.set { request in
            guard request.url.path.hasSuffix("txn") else { return .answered }
            return chance.pick()
          }
          for _ in 0..<40 { try await count.update { $0 += 1 } }
        }
      }
      try await group.waitForAll()
    }
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect())
    #expect(count.value == 120)
  }

  @Test func `case 8: without the session, a lost answer is reported as uncertain`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(over: network))
    try await count.write(1)
    let server = fleet.server
    network.set { _ in .answered }
    let once = Counter(1)
    network.set { request in
      guard request.url.path.hasSuffix("txn") else { return .answered }
      return once.take() ? .answerLost : .requestLost
    }
    async let outcome: Void = count.write(2)
    try await server.value("fleet/count", is: "2")
    try await server.endAllLeases()
    network.set { _ in .answered }
    do {
      try await outcome
      Issue.record("a lost session proves nothing")
    } catch let error as ClusterError {
      guard case .uncertain(key: "fleet/count", _) = error else { throw error }
    }
    // The next change has another session.
    try await count.write(3)
    #expect(try await count.read() == 3)
  }

  @Test func `case 10: a session that expired is replaced by the next change`() async throws {
    let fleet = try await Fleet()
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect())
    for number in 1...3 {
      try await fleet.server.endAllLeases()
      try await count.update { $0 += number }
    }
    #expect(try await count.read() == 6)
  }

  @Test func `a cancelled task sends nothing, and a change that has begun is made`() async throws {
    let fleet = try await Fleet()
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect())
    let gate = Gate()
    let task = Task {
      try? await gate.pass()
      try await count.write(1)
    }
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await count.read() == 0)
  }
}

/// A generator that several threads use.
private final class Guard: Sendable {
  private let chance: Guarded<Chance>

  init(seed: UInt64) { chance = Guarded(Chance(seed: seed)) }

  func pick() -> FaultyTransport.Fate {
    switch chance.withLock({ $0.next() % 10 }) {
    case 0, 1: .answerLost
    case 2: .requestLost
    default: .answered
    }
  }
}

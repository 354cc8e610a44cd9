import AppGroups
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Suites changed by several threads and processes", .patient, .eachKernel)
struct SuiteProcessTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func peers(_ count: Int) async throws -> [PeerProcess] {
    try await withThrowingTaskGroup(of: PeerProcess.self) { group in
      for _ in 0..<count { group.addTask { try await fixture.suitePeer() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// On Linux, `UserDefaults` kept only 400 to 598 of 800 keys.
  @Test
  func `four processes that set distinct keys lose none of them`() async throws {
    let count = Scale.count(200, torture: 500)
    let suite = try fixture.suite()
    let peers = try await peers(4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, peer) in peers.enumerated() {
        group.addTask { try await peer.send("suite-fill p\(index)- \(count)") }
      }
      try await group.waitForAll()
    }
    let expected = Set((0..<4).flatMap { peer in (0..<count).map { "p\(peer)-\($0)" } })
    #expect(try Set(suite.read().keys) == expected)
    try await suite.firstValue("all keys") { $0.keys.count == 4 * count }
    #expect(
      try expected.allSatisfy { try suite.value(forKey: $0, as: Int.self).map { "-\($0)" } == "-" + $0.dropFirst(3) })
  }

  @Test
  func `four processes and four threads lose no increment of a key and no other key`() async throws {
    let count = Scale.count(50, torture: 2_000)
    let suite = try fixture.suite()
    let counter = suite.preference("counter", default: 0)
    let counts = counter.recorded()
    let peers = try await peers(4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers { group.addTask { try await peer.send("suite-increment counter \(count)") } }
      group.addTask {
        try await onThread {
          withThreads(4) { thread in
            do {
              for number in 0..<count {
                try counter.update { $0 += 1 }
                try suite.set(number, forKey: "thread \(thread) \(number % 10)")
              }
            } catch {
              Issue.record(error)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try counter.read() == 8 * count)
    try await counts.wait(for: 8 * count)
    #expect(zip(counts.elements, counts.elements.dropFirst()).allSatisfy { $0 < $1 }, "the value never went back")
    #expect(suite.keys.count == 41)
  }

  @Test
  func `observers in another process receive only their key, or all names at once`() async throws {
    let suite = try fixture.suite()
    let peer = try await fixture.suitePeer()
    try await peer.send("suite-observe theme")
    try await peer.send("suite-changes")
    try await suite.set("12", forKey: "size")
    try await peer.events.first("the change of another key") { $0 == "changes size" }
    try await suite.update { contents in
      try contents.set("dark", forKey: "theme")
      contents.removeValue(forKey: "size")
    }
    try await peer.events.first("the theme") { $0 == "theme dark" }
    try await peer.events.first("both names") { $0 == "changes size,theme" }
    #expect(peer.events.elements.filter { $0.hasPrefix("theme") } == ["theme nothing", "theme dark"])
  }

  @Test
  func `a change is readable in other processes when it returns`() async throws {
    let suite = try fixture.suite()
    let reader = try await fixture.suitePeer()
    for round in 1...Scale.count(20, torture: 1_000) {
      try await reader.send("suite-set from-peer \(round)")
      #expect(try suite.read().value(forKey: "from-peer", as: String.self) == "\(round)")
      try await suite.set("\(round)", forKey: "from-us")
      let fresh = round == 1 ? try await fixture.suitePeer() : reader
      if round == 1 {
        #expect(try await fresh.send("suite-get from-us") == "1", "a process that starts now reads it, too")
      }
    }
    try await reader.send("suite-observe from-us")
    let last = Scale.count(20, torture: 1_000)
    try await reader.events.first("the last value") { $0 == "from-us \(last)" }
  }

  @Test
  func `no process sees a part of a change of several keys`() async throws {
    let count = Scale.count(100, torture: 5_000)
    let suite = try fixture.suite()
    try await suite.update { contents in
      try contents.set(1_000, forKey: "first")
      try contents.set(0, forKey: "second")
    }
    let numbers = ["first", "second"].map { suite.preference($0, default: 0) }
    let sums = Property.derived(numbers.map(\.property)) { $0.reduce(0, +) }.recorded()
    let peers = try await peers(3)
    try await peers[2].send("suite-sums first second")
    async let there: String = peers[0].send("suite-transfer first second \(count)")
    async let back: String = peers[1].send("suite-transfer second first \(count)")
    _ = try await (there, back)
    #expect(try suite.read().value(forKey: "second", as: Int.self) == 0)
    try await numbers[1].firstValue { $0 == 0 }
    #expect(sums.elements == [1_000])
    #expect(peers[2].events.elements == ["sum 1000"])
  }

  @Test
  func `a process killed while it sets keys leaves whole content and no lock`() async throws {
    let suite = try fixture.suite()
    for round in 1...Scale.count(5, torture: 200) {
      let peer = try await fixture.suitePeer()
      let filling = Task { try await peer.send("suite-fill round\(round)- 100000") }
      try await suite.firstValue("the first keys") { $0.contains("round\(round)-3") }
      try await peer.kill()
      _ = await filling.result
      let contents = try suite.read()
      let keys = contents.keys.filter { $0.hasPrefix("round\(round)-") }
      #expect((0..<keys.count).allSatisfy { contents.contains("round\(round)-\($0)") }, "none is missing in between")
      try await suite.set(round, forKey: "after")
      try await suite.update { contents in
        for key in keys { contents.removeValue(forKey: key) }
      }
      Scale.progress("round \(round) killed after \(keys.count) keys")
    }
    #expect(try suite.read().keys == ["after"])
  }
}

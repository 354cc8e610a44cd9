import AppGroups
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: slow subscribers", .patient, .eachKernel)
struct LogSlownessTests {
  @Test
  func `64 slow subscribers delay neither each other, nor another log, nor a shared file`() async throws {
    let fixture = try Fixture()
    let gate = DispatchSemaphore(value: 0)
    let called = Recorder<Int>()
    let logs = try (0..<64).map { number in
      try AppGroupsLog<Int>(name: "slow \(number)", container: fixture.container)
    }
    let slow = try logs.map { log in
      try log.newEvents().sink { entry in
        called.record(entry.event)
        gate.wait()
      }
    }
    defer {
      for _ in slow { gate.signal() }
    }
    for (number, log) in logs.enumerated() { try log.append(number) }
    let all = try await called.wait(for: "all slow subscribers") { $0.count == 64 }
    #expect(Set(all).count == 64)
    let log = try AppGroupsLog<String>(name: "log", container: fixture.container)
    let events = try log.newEvents().recorded()
    let file = try AppGroupsFile(name: "n.json", initialValue: 0, container: fixture.container)
    let values = file.recorded()
    let peer = try PeerProcess()
    try await peer.send("log \(fixture.path) log")
    try await peer.send("container \(fixture.path)")
    try await peer.send("open-counter n.json")
    for round in 1...20 {
      try await peer.send("append \(round)")
      try await events.first("an event") { $0.event == "\(round)" }
      try await peer.send("increment n.json 1")
      try await values.first("a change") { $0 == round }
    }
    #expect(called.elements.count == 64)
  }
}

import AppGroups
import CLibrary
import Dispatch
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

// Not over the model of kqueue: it reports a directory and its files separately, so an event of a killed producer may
// arrive after a later one of another producer. Only the order of one producer is promised.
@Suite("Log: several processes", .seeded, .patient)
struct LogProcessTests {
  private func ids(_ entries: [LogEntry<String>]) -> [(producer: String, sequence: Int)] {
    entries.map { ($0.producer.uuidString, Int($0.sequence)) }
  }

  @Test
  func `events of several processes reach every consumer once and in order`() async throws {
    let fixture = try LogFixture()
    let count = Scale.count(300, torture: 20_000)
    let log = try fixture.log()
    let consumers = try [LogRecorder(log.events(for: "first")), LogRecorder(log.events(for: "second"))]
    let follower = try await fixture.peer()
    try await follower.send("follow-log third")
    let producers = try await [fixture.peer(), fixture.peer(), fixture.peer()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, producer) in producers.enumerated() {
        group.addTask { try await producer.send("append-many \(count) producer \(index)") }
      }
      for number in 1...count { try log.append("ours \(number)") }
      try await group.waitForAll()
    }
    for consumer in consumers {
      let texts = try await consumer.wait(for: 4 * count)
      #expect(texts.count == 4 * count)
      #expect(faults(in: ids(consumer.entries.elements)) == [])
      for index in 0..<3 {
        let expected = (1...count).map { "producer \(index) \($0)" }
        #expect(texts.filter { $0.hasPrefix("producer \(index) ") } == expected)
      }
      #expect(consumer.failures.elements.isEmpty)
    }
    let reports = try await follower.events.wait(for: "all events") { $0.count >= 4 * count }
    let entries = reports.compactMap { ReportedEntry($0) }
    #expect(entries.count == 4 * count)
    #expect(faults(in: entries.map { ($0.producer, $0.sequence) }) == [])
  }

  #if os(Linux)
    @Test
    func `two processes that cannot read /dev/urandom are still two producers`() async throws {
      let fixture = try LogFixture()
      let hiding = #"mount --bind /dev/null /dev/urandom && exec "$0""#
      let unshare = URL(filePath: "/usr/bin/unshare")
      do {
        try await shell(#"/usr/bin/unshare -m sh -c "mount --bind /dev/null /dev/urandom""#)
      } catch is ShellError {
        // Some containers do not permit root to mount.
        return
      }
      var producers: Set<Substring> = []
      for _ in 1...2 {
        let peer = try PeerProcess(
          executable: unshare, arguments: ["-m", "sh", "-c", hiding, PeerProcess.builtExecutable.path])
        try await peer.send("log \(fixture.fixture.path) log")
        producers.formUnion(try await peer.send("append text").split(separator: " ").prefix(1))
      }
      #expect(producers.count == 2)
    }
  #endif

  @Test
  func `a producer killed at any moment loses no appended event, and blocks no reader`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let live = LogRecorder(try log.events(for: "live"))
    let rounds = Scale.count(15, torture: 500)
    var chance = Chance()
    for round in 1...rounds {
      let producer = try await fixture.peer()
      let answer = try await producer.send("append first \(round)")
      try await producer.send("append-loop \(1 + chance.number(below: 40)) \([10, 100, 3000][chance.number(below: 3)])")
      // A random delay, so that the kill hits at an arbitrary moment.
      try await Task.sleep(for: .microseconds(chance.number(below: 8000)))
      try await producer.kill()
      try log.append("ours \(round)")
      try await live.entries.first("what was appended after \(round)") { $0.event == "ours \(round)" }
      let first = try #require(answer.split(separator: " ").first)
      #expect(live.entries.elements.contains { $0.producer.uuidString == first && $0.event == "first \(round)" })
      if round.isMultiple(of: 50) { Scale.progress("\(round) of \(rounds) producers killed") }
    }
    // All complete events were delivered, and nothing else: a later reader finds the same.
    let late = LogRecorder(try log.events(for: "late"))
    try await late.entries.first("the last event") { $0.event == "ours \(rounds)" }
    #expect(faults(in: ids(live.entries.elements)) == [])
    #expect(live.failures.elements == [])
    #expect(late.failures.elements == [])
  }

  @Test
  func `a consumer killed between an effect and its cursor receives events again, and loses none`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let effects = fixture.fixture.directory.file("effects")
    let rounds = Scale.count(10, torture: 300)
    var appended = 0
    var chance = Chance()
    for round in 1...rounds {
      let consumer = try await fixture.peer()
      try await consumer.send("follow-into worker \(effects.path)")
      try log.append(contentsOf: (1...100).map { "\(appended + $0)" })
      appended += 100
      try await Task.sleep(for: .microseconds(chance.number(below: 70_000)))
      try await consumer.kill()
      if round.isMultiple(of: 50) { Scale.progress("\(round) of \(rounds) consumers killed") }
    }
    let lastLines = Recorder<String>()
    let changes = try PathChanges(
      contentsOf: effects.deletingLastPathComponent(), queue: DispatchQueue(label: "effects"))
    let watch = changes.sink { _ in
      let text = (try? fixture.fixture.text(of: effects)) ?? ""
      lastLines.record(String(text.split(separator: "\n").last ?? ""))
    }
    let consumer = try await fixture.peer()
    try await consumer.send("follow-into worker \(effects.path)")
    try log.append("last")
    try await lastLines.first("the last event") { $0.hasSuffix(" last") }
    withExtendedLifetime(watch) {}
    let lines = try fixture.fixture.text(of: effects).split(separator: "\n").compactMap { ReportedEntry(effect: $0) }
    #expect(faults(in: lines.map { ($0.producer, $0.sequence) }, isRepeating: true) == [])
    #expect(Set(lines.map(\.sequence)) == Set(1...(appended + 1)))
    #expect(lines.allSatisfy { $0.text == "\($0.sequence)" || $0.text == "last" })
  }

  @Test
  func `events that several producers appended before a consumer began are delivered in clock order`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let peers = try await [fixture.peer(), fixture.peer()]
    var expected: [String] = []
    for number in 1...60 {
      let text = "\(number)"
      switch number % 3 {
      case 0: try log.append(text)
      case let index: try await peers[index - 1].send("append \(text)")
      }
      expected.append(text)
    }
    let recorder = LogRecorder(try log.events(for: "widget"))
    #expect(try await recorder.wait(for: 60) == expected)
  }

  @Test
  func `an effect that another process appends is delivered after its cause`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let peer = try await fixture.peer()
    try await peer.send("follow-new")
    var causes: [LogEventID] = []
    for number in 1...20 {
      causes.append(try log.append("cause \(number)"))
      try await peer.events.first("the cause") { $0.hasSuffix(" cause \(number)") }
      try await peer.send("append effect \(number)")
    }
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.wait(for: 40)
    #expect(recorder.texts == (1...20).flatMap { ["cause \($0)", "effect \($0)"] })
    #expect(Set(causes).count == 20)
  }

  @Test
  func `a forked process begins its own segment`() async throws {
    let fixture = try LogFixture()
    let peer = try await fixture.peer()
    let before = try await peer.send("append parent")
    try await peer.send("fork-and-append child")
    try await peer.send("append parent again")
    let recorder = LogRecorder(try fixture.log().events(for: "widget"))
    try await recorder.wait(for: 3)
    #expect(Set(recorder.texts) == ["parent", "child", "parent again"])
    #expect(faults(in: ids(recorder.entries.elements)) == [])
    #expect(Set(recorder.entries.elements.map(\.producer)).count == 2)
    #expect(before.hasSuffix(" 1"))
  }

  #if os(Linux)
    @Test
    func `an idle log wakes no thread`() async throws {
      let fixture = try LogFixture()
      let peer = try await fixture.peer()
      try await peer.send("follow-log widget")
      try await peer.send("append one")
      try await peer.events.first("the event") { $0.hasSuffix(" one") }
      func switches() throws -> Int {
        let tasks = "/proc/\(peer.identifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
          // A thread may end between listing and reading.
          let data = FileManager.default.contents(atPath: "\(tasks)/\(task)/status") ?? Data()
          let line = String(decoding: data, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("voluntary") }
          return sum + (line.flatMap { Int($0.split(separator: "\t").last ?? "") } ?? 0)
        }
      }
      // After the cursor is saved and idle threads have ended, there must be a quiet interval.
      var last = try switches()
      for _ in 0..<100 {
        try await Task.sleep(for: .milliseconds(300))
        let now = try switches()
        if now == last { return }
        last = now
      }
      Issue.record("the process woke up all the time")
    }
  #endif
}

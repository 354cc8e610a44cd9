@testable import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: damage", .eachKernel)
struct LogDamageTests {
  private static let small = LogLimits(segmentSize: 4096)

  /// Changes a byte in the middle of a file.
  private func damage(_ url: URL, at offset: Int? = nil) throws {
    var bytes = try DurableFile.read(url)
    bytes[offset ?? bytes.count / 2] ^= 0xFF
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  @Test
  func `a damaged record is not delivered, and all others are`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(Self.small)
    let texts = (1...12).map { "\($0) " + String(repeating: "x", count: 1000) }
    for text in texts { try log.append(text) }
    let segments = try fixture.segments()
    #expect(segments.count == 4)
    try damage(segments[1])
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.entries.first("the last event") { $0.event == texts[11] }
    let damaged = segments[1]
    try await recorder.firstFailure {
      if case .damaged(damaged, _, lostEvents: 1, _) = $0 { true } else { false }
    }
    #expect(recorder.texts == Array(texts[..<4]) + Array(texts[5...]))
    // It is reported once, even to a consumer that returns.
    #expect(recorder.failures.elements.count == 1)
  }

  @Test
  func `a segment with a damaged header does not block the others`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(Self.small)
    let texts = (1...6).map { "\($0) " + String(repeating: "x", count: 1000) }
    for text in texts { try log.append(text) }
    try damage(fixture.segments()[0], at: 20)
    let recorder = LogRecorder(try log.events(for: "widget"))
    #expect(try await recorder.wait(for: 3) == Array(texts[3...]))
    #expect(recorder.failures.elements.count == 1)
  }

  @Test
  func `damage at the end of a live segment is reported, and the producer's next segment is read`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(Self.small)
    let recorder = LogRecorder(try log.events(for: "widget"))
    try log.append("one")
    try await recorder.wait(for: 1)
    // Bytes that the producer did not write.
    let handle = try FileHandle(forWritingTo: fixture.segments()[0])
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(repeating: 7, count: 100))
    try handle.close()
    try await recorder.firstFailure { if case .damaged = $0 { true } else { false } }
    for number in 1...5 { try log.append("\(number) " + String(repeating: "x", count: 1000)) }
    try await recorder.entries.first("an event of the next segment") { $0.event.hasPrefix("5 ") }
  }

  @Test
  func `an incomplete record of a dead process blocks neither reading nor trimming`() async throws {
    let fixture = try LogFixture()
    let peer = try await fixture.peer()
    try await peer.send("append whole")
    try await peer.kill()
    let segment = try fixture.segments()[0]
    let record = try DurableFile.read(segment)[SegmentHeader.size...]
    let handle = try FileHandle(forWritingTo: segment)
    try handle.seekToEnd()
    // The next record in order, cut off in its payload.
    var next = Data(record.prefix(28))
    next[next.startIndex + 8] = 2
    try handle.write(contentsOf: next)
    try handle.close()
    let log = try fixture.log()
    let recorder = LogRecorder(try log.events(for: "widget"))
    try log.append("after")
    #expect(Set(try await recorder.wait(for: 2)) == ["whole", "after"])
    #expect(recorder.failures.elements.isEmpty)
    // It does not prevent the removal of the segment either.
    try await recorder.saveProgress()
    try log.trim()
    #expect(!FileManager.default.fileExists(atPath: segment.path))
  }

  @Test
  func `removed segments are reported, and all remaining events are delivered`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(Self.small)
    let texts = (1...12).map { "\($0) " + String(repeating: "x", count: 1000) }
    for text in texts[..<3] { try log.append(text) }
    do {
      let recorder = LogRecorder(try log.events(for: "widget"))
      try await recorder.wait(for: 3)
    }
    for text in texts[3...] { try log.append(text) }
    let second = try fixture.segments().filter { $0.lastPathComponent.contains(".00000002.") }
    for segment in second { try FileManager.default.removeItem(at: segment) }
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.entries.first("the last event") { $0.event == texts[11] }
    try await recorder.firstFailure {
      if case .missing(_, after: 3, before: 7) = $0 { true } else { false }
    }
    #expect(recorder.texts == Array(texts[6...]))
  }

  @Test
  func `producers and consumers both use a directory that was removed and recreated`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let peer = try await fixture.peer()
    let recorder = LogRecorder(try log.events(for: "widget"))
    for round in 1...Scale.count(5, torture: 100) {
      try log.append("ours \(round)")
      try await peer.send("append theirs \(round)")
      try await recorder.entries.first("ours") { $0.event == "ours \(round)" }
      try await recorder.entries.first("theirs") { $0.event == "theirs \(round)" }
      // Move it away in one step, because another process may be about to create a file in it.
      let elsewhere = fixture.fixture.directory.file("away \(round)")
      try FileManager.default.moveItem(at: fixture.directory, to: elsewhere)
      if round.isMultiple(of: 2) { continue }
      while FileManager.default.fileExists(atPath: elsewhere.path) {
        do { try FileManager.default.removeItem(at: elsewhere) } catch {}
      }
    }
    try log.append("last")
    try await recorder.entries.first("the last event") { $0.event == "last" }
    #expect(Set(recorder.entries.elements.map(\.id)).count == recorder.entries.elements.count)
    // All events were read before they were removed, so none is missing.
    #expect(recorder.failures.elements.allSatisfy { if case .missing = $0 { false } else { true } })
  }

  @Test
  func `an undecodable event is reported and skipped, and stays for other readers`() async throws {
    let fixture = try LogFixture()
    let numbers = try AppGroupsLog<Int>(name: "log", container: fixture.fixture.container)
    let texts = try fixture.log()
    try numbers.append(1)
    let id = try texts.append("two")
    try numbers.append(3)
    let recorder = try numbers.events(for: "widget").recorded()
    let failures = Recorder<AppGroupsLogError>()
    let events = try numbers.events(for: "other")
    let subscription = events.failures.sink { failures.record($0) }
    let other = events.recorded()
    #expect(try await recorder.wait(for: "two numbers") { $0.count == 2 }.map(\.event) == [1, 3])
    try await other.wait(for: "two numbers") { $0.count == 2 }
    try await failures.first("the failure") {
      if case .undecodable(id, _, _) = $0 { true } else { false }
    }
    subscription.cancel()
    let newer = LogRecorder(try texts.events(for: "newer"))
    #expect(try await newer.wait(for: 1) == ["two"])
  }

  @Test
  func `damage at a consumer's position is reported to it before the segment is removed`() async throws {
    let fixture = try LogFixture()
    let peer = try await fixture.peer()
    let log = try fixture.log()
    do {
      let recorder = LogRecorder(try log.events(for: "widget"))
      try await peer.send("append one")
      try await recorder.wait(for: 1)
      try await recorder.saveProgress()
    }
    try await fixture.settle()
    let segment = try fixture.segments()[0]
    let end = try DurableFile.read(segment).count
    for text in ["two", "three"] { try await peer.send("append \(text)") }
    try await peer.kill()
    try damage(segment, at: end + 5)
    try log.trim()
    #expect(FileManager.default.fileExists(atPath: segment.path))
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.firstFailure { if case .damaged(segment, _, lostEvents: 1, _) = $0 { true } else { false } }
    // After that, no consumer needs the segment.
    try log.append("four")
    #expect(try await recorder.wait(for: 2) == ["three", "four"])
    try await recorder.saveProgress()
    try log.trim()
    #expect(!FileManager.default.fileExists(atPath: segment.path))
  }

  @Test(arguments: ["sequence", "segment", "offset"])
  func `an impossible number in a cursor is reported, and does not crash the consumer`(key: String) async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let id = try log.append("one")
    do {
      let recorder = LogRecorder(try log.events(for: "widget"))
      try await recorder.wait(for: 1)
      try await recorder.saveProgress()
    }
    try await fixture.settle()
    let cursor = fixture.directory.appending(path: ".consumers/widget.cursor")
    let numbers = ["sequence": "1", "segment": "1", "offset": "48"].merging([key: "\(UInt64.max)"]) { $1 }
    let members = numbers.map { "\"\($0)\":\($1)" }.joined(separator: ",")
    try Data(#"{"positions":{"\#(id.producer.uuidString)":{\#(members),"isBroken":false}}}"#.utf8).write(to: cursor)
    let recorder = LogRecorder(try log.events(for: "widget"))
    #expect(try await recorder.wait(for: 1) == ["one"])
    try await recorder.firstFailure { if case .unreadableCursor("widget", _, _) = $0 { true } else { false } }
  }

  @Test
  func `an unreadable cursor is reported, and every event is delivered again`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    try log.append("one")
    do {
      let recorder = LogRecorder(try log.events(for: "widget"))
      try await recorder.wait(for: 1)
    }
    try await fixture.settle()
    try Data("{".utf8).write(to: fixture.directory.appending(path: ".consumers/widget.cursor"))
    let recorder = LogRecorder(try log.events(for: "widget"))
    #expect(try await recorder.wait(for: 1) == ["one"])
    try await recorder.firstFailure { if case .unreadableCursor("widget", _, _) = $0 { true } else { false } }
  }

  @Test
  func `events whose notifications were lost are found by a scan`() async throws {
    let fixture = try Fixture()
    // In its own process, because all observers in a process lose these events.
    await #expect(processExitsWith: .success) { [path = fixture.path as String] in try await loseEvents(path) }
  }
}

private func loseEvents(_ path: String) async throws {
  let log = try AppGroupsLog<String>(
    name: "log", container: AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory)),
    limits: LogLimits(segmentSize: 4096))
  let recorder = LogRecorder(try log.events(for: "widget"))
  try log.append("first")
  try await recorder.wait(for: 1)
  try WatchHub.shared.stall {
    for number in 1...9000 { try log.append("\(number)") }
  }
  try await recorder.entries.first("the last") { $0.event == "9000" }
  #expect(recorder.entries.elements.map(\.sequence) == Array(1...9001))
}

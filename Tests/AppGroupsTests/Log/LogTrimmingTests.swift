@testable import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: trimming", .patient, .eachKernel)
struct LogTrimmingTests {
  private static let small = LogLimits(segmentSize: 4096)
  private static let text = String(repeating: "x", count: 1000)

  private func append(_ count: Int, to log: AppGroupsLog<String>) throws {
    for number in 1...count { try log.append("\(number) \(Self.text)") }
  }

  @Test
  func `events handled by all consumers are removed, and not before`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(Self.small)
    let slow = try log.events(for: "slow", acknowledgement: .explicit)
    let slowEntries = slow.recorded()
    let quick = LogRecorder(try log.events(for: "quick"))
    try append(12, to: log)
    try await quick.wait(for: 12)
    let entries = try await slowEntries.wait(for: "12 events") { $0.count == 12 }
    try await quick.saveProgress()
    try log.trim()
    #expect(try fixture.segments().count == 4)
    slow.acknowledge(entries[7])
    try await slow.saveProgress()
    try log.trim()
    #expect(try fixture.segments().count == 2)
    slow.acknowledge(entries[11])
    try await slow.saveProgress()
    try log.trim()
    // The last segment is being appended to.
    #expect(try fixture.segments().count == 1)
    #expect(try fixture.fixture.contents(of: fixture.directory.appending(path: ".shared")) == ["trim.lock"])
  }

  #if os(Linux)
    @Test
    func `a consumer closes removed segments, which frees their space`() async throws {
      let fixture = try LogFixture()
      let log = try fixture.log()
      let recorder = LogRecorder(try log.events(for: "widget"))
      for number in 1...5 {
        let peer = try await fixture.peer()
        try await peer.send("append \(number)")
        try await peer.kill()
      }
      try await recorder.wait(for: 5)
      try await recorder.saveProgress()
      try log.trim()
      #expect(try fixture.segments().isEmpty)
      for _ in 0..<24_000 {
        if removedFiles(in: fixture) == 0 { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(removedFiles(in: fixture) == 0)
    }

    /// The number of segments that this process has open although they were removed.
    private func removedFiles(in fixture: LogFixture) -> Int {
      let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return numbers.count { number in
        let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) ?? ""
        return target.hasPrefix(fixture.directory.path) && target.hasSuffix(".segment (deleted)")
      }
    }
  #endif

  @Test
  func `segments and leftovers of dead processes are removed once all events are handled`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let recorder = LogRecorder(try log.events(for: "widget"))
    for number in 1...3 {
      let peer = try await fixture.peer()
      try await peer.send("append \(number)")
      try await peer.kill()
    }
    let litter = SegmentID(producer: UUID(), index: 1).temporaryName
    let litterPath = fixture.directory.appending(path: ".shared/\(litter)").path
    try Data().write(to: URL(filePath: litterPath))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -600)], ofItemAtPath: litterPath)
    try await recorder.wait(for: 3)
    try await recorder.saveProgress()
    try log.trim()
    #expect(try fixture.segments().isEmpty)
    #expect(try fixture.fixture.contents(of: fixture.directory.appending(path: ".shared")) == ["trim.lock"])
    // The cursor forgets producers that have no segments.
    try log.append("four")
    try await recorder.wait(for: 4)
    try await recorder.saveProgress()
    let cursor = try ConsumerPlace(name: "widget", place: LogPlace(name: "log", container: fixture.fixture.container))
    #expect(try cursor.load()?.count == 1)
  }

  @Test
  func `a log without consumers stays within its size limit, and keeps the newest events`() async throws {
    let fixture = try LogFixture()
    let limits = LogLimits(segmentSize: 4096, totalSize: 40_960)
    let log = try fixture.log(limits)
    try append(100, to: log)
    try log.trim()
    #expect(try fixture.segments().count <= 10)
    let recorder = LogRecorder(try log.events(for: "new"))
    try await recorder.entries.first("the newest") { $0.event.hasPrefix("100 ") }
    // A new consumer has lost nothing.
    #expect(recorder.failures.elements.isEmpty)
  }

  @Test
  func `a consumer that falls too far behind is notified, and continues with the remaining events`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 4096, totalSize: 20_480))
    do {
      let recorder = LogRecorder(try log.events(for: "widget"))
      try log.append("first")
      try await recorder.wait(for: 1)
    }
    try await fixture.settle()
    try append(50, to: log)
    try log.trim()
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.firstFailure { $0 == .snapshotNeeded(consumer: "widget", reason: .sizeLimit) }
    try await recorder.entries.first("the newest") { $0.event.hasPrefix("50 ") }
    #expect(recorder.entries.elements.count < 50)
  }

  @Test
  func `a consumer absent for too long is dropped, and notified when it returns`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 4096, consumerAbsence: .seconds(3600)))
    for name in ["gone", "here"] {
      let recorder = LogRecorder(try log.events(for: name))
      if name == "gone" { try log.append("first") }
      try await recorder.wait(for: 1)
    }
    try await fixture.settle("gone")
    try await fixture.settle("here")
    try fixture.makeAbsent("gone")
    let cursor = fixture.directory.appending(path: ".consumers/gone.cursor")
    try append(12, to: log)
    do {
      let here = LogRecorder(try log.events(for: "here"))
      try await here.wait(for: 12)
    }
    try await fixture.settle("here")
    try log.trim()
    // No segment is kept for the absent consumer.
    #expect(try fixture.segments().count == 1)
    #expect(!FileManager.default.fileExists(atPath: cursor.path))
    let back = LogRecorder(try log.events(for: "gone"))
    try await back.firstFailure { $0 == .snapshotNeeded(consumer: "gone", reason: .absence) }
    try await back.entries.first("what is left") { $0.event.hasPrefix("12 ") }
  }

  @Test
  func `an active consumer is not dropped, however few events it receives`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 4096, consumerAbsence: .zero))
    let recorder = LogRecorder(try log.events(for: "widget"))
    try log.append("first")
    try await recorder.wait(for: 1)
    try await recorder.saveProgress()
    try fixture.makeAbsent("widget")
    try log.trim()
    let cursor = fixture.directory.appending(path: ".consumers/widget.cursor")
    #expect(FileManager.default.fileExists(atPath: cursor.path))
  }

  @Test
  func `a consumer that was idle for long before it was killed is not dropped`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 4096, consumerAbsence: .seconds(3600)))
    let peer = try await fixture.peer()
    try await peer.send("follow-log widget")
    try await peer.send("append first")
    try await peer.events.first("the event") { $0.hasSuffix(" first") }
    let cursor = fixture.directory.appending(path: ".consumers/widget.cursor")
    let saves = try DirectoryObserver(cursor.deletingLastPathComponent()).recorded()
    try await peer.send("append second")
    // From now on, the consumer has nothing to save.
    try await saves.first("the save") { $0.url.lastPathComponent == "widget.cursor" }
    try fixture.makeAbsent("widget")
    try log.trim()
    try await peer.kill()
    try log.trim()
    #expect(FileManager.default.fileExists(atPath: cursor.path))
  }

  @Test
  func `a consumer is not absent because the clock was set ahead, whether it has read or is expected`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 4096, consumerAbsence: .seconds(3600)))
    do {
      let recorder = LogRecorder(try log.events(for: "idle"))
      try log.append("first")
      try await recorder.wait(for: 1)
    }
    try await fixture.settle("idle")
    try fixture.makeAbsent("idle", isCertain: false)
    let place = try LogPlace(name: "log", container: fixture.fixture.container)
    let (idle, expected) = try (ConsumerPlace(name: "idle", place: place), ConsumerPlace(name: "new", place: place))
    try expected.expect()
    let note = fixture.directory.appending(path: ".consumers/new.expected")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: note.path)
    try log.trim()
    #expect(try idle.exists && expected.isExpected)
    // A note of an earlier version is empty.
    try Data().write(to: note)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: note.path)
    try log.trim()
    #expect(try idle.exists && !expected.isExpected)
  }

  @Test
  func `a consumer in use cannot be removed, and a removed one does not prevent trimming`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(Self.small)
    do {
      let recorder = LogRecorder(try log.events(for: "widget"))
      try append(1, to: log)
      try await recorder.wait(for: 1)
      let place = try LogPlace(name: "log", container: fixture.fixture.container)
      let holder = try ConsumerPlace(name: "widget", place: place).holder
      let refusal = AppGroupsLogError.consumerInUse("widget", holder: holder)
      #expect(throws: refusal) { try log.removeConsumer("widget") }
    }
    try await fixture.settle()
    try append(11, to: log)
    try log.removeConsumer("widget")
    let recorder = LogRecorder(try log.events(for: "other"))
    try await recorder.wait(for: 9)
    try await recorder.saveProgress()
    try log.trim()
    #expect(try fixture.segments().count == 1)
  }

  @Test
  func `threads may trim concurrently while two processes append and a consumer reads`() async throws {
    let fixture = try LogFixture()
    let limits = LogLimits(segmentSize: 4096)
    let log = try fixture.log(limits)
    let recorder = LogRecorder(try log.events(for: "widget"))
    let errors = Recorder<String>()
    let count = Scale.count(150, torture: 10_000)
    let peer = try await fixture.peer()
    async let appending = peer.send("append-many \(count) \(Self.text)")
    withThreads(3) { thread in
      do {
        if thread == 0 {
          for number in 1...count { try log.append("\(number) \(Self.text)") }
          try log.append("last")
        } else {
          for _ in 1...count { try log.trim() }
        }
      } catch {
        errors.record("\(error)")
      }
    }
    _ = try await appending
    try await recorder.entries.first("the last event") { $0.event == "last" }
    let theirs = try await peer.send("append end")
    try await recorder.entries.first("the peer's last event") { $0.event == "end" }
    #expect(errors.elements == [])
    #expect(recorder.failures.elements == [])
    #expect(faults(in: recorder.entries.elements.map { ($0.producer.uuidString, Int($0.sequence)) }) == [])
    #expect(theirs.hasSuffix(" \(recorder.entries.elements.filter { $0.producer != log.producer }.count)"))
  }
}

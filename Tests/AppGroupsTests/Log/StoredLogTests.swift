import AppGroups
import Foundation
import TestSupport
import Testing

/// The log has segments of two producers.
///
/// The first segment of `a` was removed after the consumer `late` had handled one of its events. `b` was killed while
/// it appended its fourth event. The consumer `widget` has handled 20 events of `a` and the first one of `b`.
@Suite("Logs written by earlier versions", .patient)
struct StoredLogTests {
  private func text(_ producer: String, _ number: Int) -> String {
    "\(producer) \(number) " + String(repeating: producer, count: 250)
  }

  private func texts(_ producer: String, _ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { text(producer, $0) }
  }

  @Test(.enabled(if: StoredFormat.writtenGeneration != nil))
  func `writes the stored log of this version`() async throws {
    let fixture = try LogFixture()
    let limits = LogLimits(segmentSize: 4096)
    let log = try fixture.log(limits)
    let own = log.producer
    let widget = try log.events(for: "widget", acknowledgement: .explicit)
    let entries = widget.recorded()
    for text in texts("a", 1...30) { try log.append(text) }
    let first = try await entries.wait(for: "the events of a") { $0.count == 30 }
    widget.acknowledge(first[19])
    try await widget.saveProgress()
    do {
      let late = try log.events(for: "late", acknowledgement: .explicit)
      late.acknowledge(try await late.recorded().first { _ in true })
      try await late.saveProgress()
    }
    try await fixture.settle("late")
    try fixture.log(LogLimits(segmentSize: 4096, totalSize: 8192)).trim()
    try #require(fixture.segments().count == 2)
    let peer = try await fixture.peer()
    for text in texts("b", 1...3) { try await peer.send("append \(text)") }
    let all = try await entries.wait(for: "all events") { $0.count == 33 }
    widget.acknowledge(all[30])
    try await widget.saveProgress()
    try await peer.kill()
    let theirs = try #require(
      fixture.segments().first { !$0.lastPathComponent.hasPrefix(own.uuidString.lowercased()) })
    let handle = try FileHandle(forWritingTo: theirs)
    try handle.seekToEnd()
    // The header of a record of 100 bytes, and its first three bytes.
    try handle.write(contentsOf: Data([100, 0, 0, 0, 1, 2, 3, 4, 4] + Array(repeating: 0, count: 15) + [34, 98, 32]))
    try handle.close()
    try StoredFormat.store(fixture.fixture.directory.url, as: "log")
  }

  @Test
  func `stored logs of earlier versions exist`() {
    #expect(!StoredFormat.all("log").isEmpty)
  }

  @Test(arguments: StoredFormat.all("log"))
  func `a consumer resumes where it stopped, and receives events appended later`(_ stored: StoredFormat) async throws {
    let fixture = LogFixture(try Fixture(stored))
    let log = try fixture.log()
    do {
      let widget = LogRecorder(try log.events(for: "widget"))
      try await widget.wait(for: 12)
      #expect(widget.texts == texts("a", 21...30) + texts("b", 2...3))
      try log.append("new")
      #expect(try await widget.wait(for: 13).last == "new")
      try await widget.saveProgress()
    }
    try await fixture.settle("widget")
    let widget = LogRecorder(try log.events(for: "widget"))
    try log.append("newer")
    #expect(try await widget.wait(for: 1) == ["newer"])
  }

  @Test(arguments: StoredFormat.all("log"))
  func `a consumer that missed events is notified, and receives the rest`(_ stored: StoredFormat) async throws {
    let fixture = LogFixture(try Fixture(stored))
    let late = LogRecorder(try fixture.log().events(for: "late"))
    try await late.firstFailure { $0 == .snapshotNeeded(consumer: "late", reason: .sizeLimit) }
    let entries = try await late.entries.wait(for: "the last event") { $0.last?.event.hasPrefix("b 3") == true }
    let first = try #require(entries.first)
    #expect(first.sequence > 2)
    #expect(late.texts == texts("a", Int(first.sequence)...30) + texts("b", 1...3))
    #expect(Set(entries.map(\.producer)).count == 2)
    #expect(entries.allSatisfy { $0.date < Date() })
  }

  @Test(arguments: StoredFormat.all("log"))
  func `a fully handled log is trimmed, and can be appended to`(_ stored: StoredFormat) async throws {
    let fixture = LogFixture(try Fixture(stored))
    let log = try fixture.log()
    try log.removeConsumer("late")
    let widget = LogRecorder(try log.events(for: "widget"))
    try log.append("new")
    try await widget.wait(for: 13)
    try await widget.saveProgress()
    try log.trim()
    let segments = try fixture.segments()
    #expect(segments.map { $0.lastPathComponent.hasPrefix(log.producer.uuidString.lowercased()) } == [true])
  }
}

@testable import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: reading without a consumer", .patient, .eachKernel)
struct LogEntriesTests {
  private static let small = LogLimits(segmentSize: 4096)

  private let fixture: LogFixture

  init() throws {
    fixture = try LogFixture()
  }

  /// Twelve events that fill four segments.
  private let texts = (1...12).map { "\($0) " + String(repeating: "x", count: 1000) }

  /// The texts of the events, and the errors in between.
  private func contents(
    _ entries: some Sequence<Result<LogEntry<String>, AppGroupsLogError>>
  ) -> (texts: [String], failures: [AppGroupsLogError]) {
    var (texts, failures): ([String], [AppGroupsLogError]) = ([], [])
    for entry in entries {
      switch entry {
      case .success(let entry): texts.append(entry.event)
      case .failure(let error): failures.append(error)
      }
    }
    return (texts, failures)
  }

  /// The entries of the log's directory with their modification dates.
  private func listing() throws -> [String: Date] {
    var listing: [String: Date] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: fixture.directory.path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.directory.appending(path: path).path)
      listing[path] = attributes[.modificationDate] as? Date
    }
    return listing
  }

  @Test func `the events of all processes are read in the order of their dates`() async throws {
    let log = try fixture.log(Self.small)
    #expect(contents(log.entries()).texts == [])
    let peer = try await fixture.peer()
    let reader = LogRecorder(try log.events(for: "widget"))
    var expected: [String] = []
    for number in 1...6 {
      // Each process reads what the other has appended before it appends.
      if number.isMultiple(of: 2) { try await peer.send("append \(number)") } else { try log.append("\(number)") }
      expected.append("\(number)")
      try await reader.wait(for: number)
    }
    #expect(contents(log.entries()).texts == expected)
    let entries = try log.entries().map { try $0.get() }
    #expect(entries == reader.entries.elements)
    #expect(Set(entries.map(\.id)).count == 6)
  }

  @Test func `a loop ends at the last event present when it began, and the next loop reads more`() throws {
    let log = try fixture.log(Self.small)
    for text in texts[..<5] { try log.append(text) }
    let entries = log.entries()
    var found: [String] = []
    for entry in entries {
      if found.isEmpty { for text in texts[5...] { try log.append(text) } }
      found.append(try entry.get().event)
    }
    #expect(found == Array(texts[..<5]))
    #expect(contents(entries).texts == texts)
  }

  @Test func `reading changes no file, and does not prevent trimming`() async throws {
    let log = try fixture.log(Self.small)
    for text in texts { try log.append(text) }
    let before = try listing()
    #expect(contents(log.entries()).texts == texts)
    #expect(try listing() == before)
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.wait(for: 12)
    try await recorder.saveProgress()
    try log.trim()
    #expect(try fixture.segments().count == 1)
    #expect(contents(log.entries()).texts == Array(texts[9...]))
  }

  @Test func `events trimmed during a loop are reported, and the remaining ones follow`() async throws {
    let log = try fixture.log(Self.small)
    for text in texts { try log.append(text) }
    let events = try log.events(for: "widget", acknowledgement: .explicit)
    let recorder = LogRecorder(events)
    try await recorder.wait(for: 12)
    var iterator = log.entries().makeIterator()
    #expect(try iterator.next()?.get().event == texts[0])
    events.acknowledge(recorder.entries.elements[11])
    try await events.saveProgress()
    try log.trim()
    let (rest, failures) = contents(IteratorSequence(iterator))
    #expect(rest == Array(texts[1..<3] + texts[9...]))
    #expect(failures == [.missing(producer: log.producer, after: 3, before: 10)])
  }

  @Test func `events removed from the end of a log during a loop are reported, too`() async throws {
    let peer = try await fixture.peer()
    try await peer.send("append gone")
    try await peer.kill()
    let log = try fixture.log(Self.small)
    let iterator = log.entries().makeIterator()
    for url in try fixture.segments() { try FileManager.default.removeItem(at: url) }
    // The iterator has already opened the file.
    #expect(contents(IteratorSequence(iterator)).texts == ["gone"])
    for text in texts { try log.append(text) }
    let second = log.entries().makeIterator()
    for url in try fixture.segments()[1...] { try FileManager.default.removeItem(at: url) }
    let (rest, failures) = contents(IteratorSequence(second))
    #expect(rest == Array(texts[..<3]))
    #expect(failures == [.missing(producer: log.producer, after: 3, before: 13)])
  }

  @Test func `a damaged record loses no other event`() throws {
    let log = try fixture.log(Self.small)
    for text in texts { try log.append(text) }
    // One in a complete file, and one where the process appends.
    for (segment, offset) in [(1, 2000), (3, 1500)] {
      let url = try fixture.segments()[segment]
      let handle = try FileHandle(forWritingTo: url)
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data("!".utf8))
      try handle.close()
    }
    let (rest, failures) = contents(log.entries())
    #expect(rest == texts.enumerated().filter { $0.offset != 4 && $0.offset != 10 }.map(\.element))
    let urls = failures.compactMap { error -> URL? in
      if case .damaged(let url, _, lostEvents: 1, _) = error { return url }
      return nil
    }
    #expect(urls == [try fixture.segments()[1], try fixture.segments()[3]])
  }

  @Test func `an unreadable end is reported once, and ends the loop`() throws {
    let log = try fixture.log(Self.small)
    try log.append("one")
    let handle = try FileHandle(forWritingTo: fixture.segments()[0])
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(repeating: 7, count: 100))
    try handle.close()
    let (rest, failures) = contents(log.entries())
    #expect(rest == ["one"])
    #expect(failures.count == 1)
  }

  @Test func `an undecodable event is reported and skipped`() throws {
    let numbers = try AppGroupsLog<Int>(name: "log", container: fixture.fixture.container)
    try numbers.append(1)
    let texts = try fixture.log()
    try texts.append("two")
    let id = LogEventID(producer: numbers.producer, sequence: 2)
    var events: [Int] = []
    var undecodable: [LogEventID] = []
    for entry in numbers.entries() {
      switch entry {
      case .success(let entry): events.append(entry.event)
      case .failure(.undecodable(let id, _, _)): undecodable.append(id)
      case .failure(let error): throw error
      }
    }
    #expect(events == [1] && undecodable == [id])
  }

  @Test func `events before the given date are skipped`() throws {
    let log = try fixture.log(Self.small)
    for text in texts { try log.append(text) }
    let dates = try log.entries().map { try $0.get().date }
    #expect(contents(log.entries(since: dates[8])).texts.last == texts[11])
    let all = try log.entries(since: dates[8]).map { try $0.get().date }
    // A `Date` is less precise than the times in the log.
    #expect(all.allSatisfy { $0 >= dates[7] } && (3...5).contains(all.count))
    #expect(contents(log.entries(since: .distantFuture)).texts == [])
    #expect(contents(log.entries(since: Date(timeIntervalSinceNow: 60))).texts == [])
  }

  @Test(.asRoot)
  func `a process with read-only access to the directory reads the events`() async throws {
    let log = try fixture.log(Self.small)
    for text in texts[..<4] { try log.append(text) }
    try await shell(#"chmod -R go+rX "$1""#, fixture.fixture.directory.url.path)
    let peer = try PeerProcess()
    try await peer.send("user 65534")
    try await peer.send("log \(fixture.fixture.path) log")
    #expect(try await peer.send("read-log") == "4 0")
    await #expect(throws: PeerProcess.Failure.self) { try await peer.send("append no") }
  }
}

@testable import AppGroups
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: causes and effects", .patient, .eachKernel)
struct LogCauseTests {
  private let fixture: LogFixture
  private let log: AppGroupsLog<String>

  init() throws {
    fixture = try LogFixture()
    log = try fixture.log()
  }

  private var place: LogPlace {
    get throws { try LogPlace(name: "log", container: fixture.fixture.container) }
  }

  /// Appends events of another producer, whose clock has given them these times.
  private func write(_ times: [UInt64], of producer: UUID, first: UInt64 = 1) throws {
    let id = SegmentID(producer: producer, index: 1)
    let header = SegmentHeader(id: id, firstSequence: 1, time: 0)
    let url = try place.url(of: id)
    // In one step, because an empty segment that no process has open is removed.
    var bytes = first == 1 ? Data(header.bytes) : try Data(contentsOf: url)
    for (index, time) in times.enumerated() {
      let payload = Data("\"\(time)\"".utf8)
      var record = [UInt8](repeating: 0, count: LogRecord.size(of: payload))
      record.withUnsafeMutableBytes {
        LogRecord.write(payload, sequence: first + UInt64(index), time: time, salt: header.salt, to: $0)
      }
      bytes += record
    }
    try bytes.write(to: url, options: .atomic)
  }

  private func texts(_ ends: [UUID: LogPosition]) throws -> [String] {
    let merge = ProducerMerge(try place, upTo: ends)
    _ = merge.scan()
    var texts: [String] = []
    while let (_, record, _) = merge.next() { texts.append(String(decoding: record.payload, as: UTF8.self)) }
    #expect(merge.takeProblems() == [])
    return texts
  }

  // MARK: Readings without a consumer

  @Test
  func `a reading contains the causes of its events, whichever end was read first`() throws {
    let (first, second, third, fourth) = (UUID(), UUID(), UUID(), UUID())
    for (index, producer) in [first, second, third].enumerated() { try write([UInt64(index) + 1], of: producer) }
    let early = try LogEnd.all(in: place)
    // Each of these is the effect of the previous one, and the first one is of a new producer.
    try write([10], of: fourth)
    try write([20, 60], of: first, first: 2)
    try write([30], of: second, first: 2)
    try write([40], of: third, first: 2)
    // The end of the last one is read after the others.
    var ends = early
    ends[third] = try LogEnd.all(in: place)[third]
    let consistent = try LogEnd.consistent(ends, in: place)
    #expect(try texts(consistent) == [1, 2, 3, 10, 20, 30, 40].map { "\"\($0)\"" })
    #expect(consistent[first]?.sequence == 2)
  }

  @Test
  func `an event that is read without a consumer is a cause of the next one, too`() throws {
    let time = UInt64(Date(timeIntervalSinceNow: 3600).timeIntervalSince1970) * 1_000_000_000
    try write([time], of: UUID())
    for entry in log.entries() { #expect(try entry.get().event == "\(time)") }
    try log.append("effect")
    #expect(try log.entries().map { try $0.get().event } == ["\(time)", "effect"])
  }

  @Test
  func `an event from a clock that is more than a day ahead does not set other clocks ahead`() async throws {
    let time = UInt64(Date(timeIntervalSinceNow: 49 * 3600).timeIntervalSince1970) * 1_000_000_000
    try write([time], of: UUID())
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.wait(for: 1)
    let id = try log.append("now")
    let entry = try await recorder.entries.first("the event") { $0.id == id }
    #expect(abs(entry.date.timeIntervalSinceNow) < 3600)
  }

  @Test
  func `the position in a segment that was found as a cause is saved`() async throws {
    let events = try log.events(for: "widget")
    let recorder = LogRecorder(events)
    try log.append("one")
    try await recorder.wait(for: 1)
    let producer = UUID()
    let time = UInt64(Date(timeIntervalSinceNow: -60).timeIntervalSince1970) * 1_000_000_000
    try events.feed.queue.sync {
      // The feed has not listed this segment yet when it reads the next event.
      try write([time], of: producer)
      try log.append("two")
      let reader = try #require(events.feed.run).reader
      for name in reader.read(\.tails) { reader.read { _ = $0.look(atSegment: name) } }
      events.feed.drain()
      #expect(recorder.texts == ["one", "\(time)", "two"])
      #expect(events.feed.audience.positionsToSave()[producer]?.sequence == 1)
    }
  }

  // MARK: Chains

  @Test
  func `chains of events through several processes arrive in order, live and in every reading`() async throws {
    // No process fills a segment, which could be removed when its events are handled.
    let (chains, last) = (6, Scale.count(60, torture: 800))
    var peers: [PeerProcess] = []
    for index in 0..<3 {
      let peer = try await fixture.peer()
      try await peer.send("chain-log \(index) 3 \(last)")
      peers.append(peer)
    }
    let live = LogRecorder(try log.events(for: "live"))
    for chain in 0..<chains { try log.append("\(chain) 0") }
    var readings = 0
    while live.entries.elements.count < chains * (last + 1) {
      let reading = try log.entries().map { try $0.get().event }
      #expect(faults(in: reading) == [], "reading \(readings)")
      readings += 1
      if !faults(in: live.texts).isEmpty { break }
      await Task.yield()
    }
    #expect(faults(in: live.texts) == [])
    #expect(live.failures.elements == [])
    Scale.progress("\(readings) readings of up to \(live.texts.count) events")
    withExtendedLifetime(peers) {}
  }

  /// Returns the events that come before their cause, which is the previous number of the same chain.
  private func faults(in texts: [String]) -> [String] {
    var next: [Substring: Int] = [:]
    var faults: [String] = []
    for text in texts {
      let words = text.split(separator: " ")
      guard words.count == 2, let number = Int(words[1]) else { continue }
      if number != next[words[0], default: 0] { faults.append("\(text), where \(next[words[0], default: 0]) was due") }
      next[words[0]] = number + 1
    }
    return faults
  }
}

@testable import AppGroups
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Log: trimming while others come and go", .seeded, .patient)
struct LogTrimmingRaceTests {
  @Test
  func `a consumer that comes while others trim misses nothing between two events`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 256))
    let resident = LogRecorder(try log.events(for: "resident"))
    let count = 40
    var chance = Chance()
    for round in 1...Scale.count(60, torture: 2000) {
      for number in 1...count { try log.append("\(number) \(String(repeating: "x", count: 200))") }
      try await resident.wait(for: count * round)
      try await resident.events.saveProgress()
      let pause = UInt32(chance.number(below: 1500))
      async let trimming: Void = {
        // Not to wait for anything, but to strike at a moment that nobody has chosen.
        usleep(pause)
        try log.trim()
      }()
      #expect(try await failuresOfGuest(at: log) == [], "round \(round)")
      try await trimming
      try await fixture.settle("guest")
      try log.removeConsumer("guest")
    }
    #expect(resident.failures.elements == [])
  }

  /// What a consumer is told that comes, reads some events, and goes.
  private func failuresOfGuest(at log: AppGroupsLog<String>) async throws -> [AppGroupsLogError] {
    let guest = LogRecorder(try log.events(for: "guest"))
    try await guest.wait(for: 1)
    try await guest.events.saveProgress()
    return guest.failures.elements
  }

  @Test
  func `what a producer appends last, while somebody looks whether it is gone, is not taken for read`() async throws {
    let fixture = try LogFixture()
    let place = try LogPlace(name: "log", container: fixture.fixture.container)
    var chance = Chance()
    for round in 1...Scale.count(100, torture: 20_000) {
      let segment = try await appendOnceMore(to: fixture, place, after: UInt32(chance.number(below: 200)))
      #expect(FileManager.default.fileExists(atPath: segment.path), "round \(round)")
    }
  }

  /// Has an event handled, and appends another as the last thing that its producer does, while somebody else trims.
  ///
  /// - Parameters:
  ///   - fixture: Where the log is.
  ///   - place: The log.
  ///   - pause: How many microseconds the trimming goes on before the last event is appended.
  /// - Returns: Where both are.
  /// - Throws: The error that keeps it from appending or trimming.
  private func appendOnceMore(to fixture: LogFixture, _ place: LogPlace, after pause: UInt32) async throws -> URL {
    let isOver = Atomic(false)
    var log: AppGroupsLog? = try fixture.log()
    let producer = try await producer(ofEventAppendedTo: log)
    async let trimming: Void = {
      let trimmer = LogTrimmer(place: place, limits: LogLimits())
      while !isOver.load(ordering: .relaxed) { try trimmer.trim(isWaiting: true) }
    }()
    // While it is trimmed, at moments that nobody has chosen.
    usleep(pause)
    try log?.append("last")
    log = nil
    usleep(100)
    isOver.store(true, ordering: .relaxed)
    try await trimming
    return place.url(of: SegmentID(producer: producer, index: 1))
  }

  private func producer(ofEventAppendedTo log: AppGroupsLog<String>?) async throws -> UUID {
    let recorder = LogRecorder(try #require(log).events(for: "widget"))
    let id = try #require(log).append("first")
    try await recorder.entries.first("the event") { $0.id == id }
    try await recorder.events.saveProgress()
    return id.producer
  }
}

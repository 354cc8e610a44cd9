@testable import AppGroups
import Foundation
import KqueueModel
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Log: trimming while producers and consumers come and go", .seeded, .patient, .eachKernel)
struct LogTrimmingRaceTests {
  @Test
  func `a consumer that starts during trimming finds no gap in the events`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 256))
    let resident = LogRecorder(try log.events(for: "resident"))
    let count = 40
    var chance = Chance()
    for round in 1...Scale.count(60, torture: 2000) {
      for number in 1...count { try log.append("\(number) \(String(repeating: "x", count: 200))") }
      try await resident.wait(for: count * round)
      try await resident.saveProgress()
      let pause = UInt32(chance.number(below: 1500))
      async let trimming: Void = {
        // A random delay, so that the trim begins at an arbitrary moment.
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

  /// Lets a consumer start, read some events and end, and returns its failures.
  private func failuresOfGuest(at log: AppGroupsLog<String>) async throws -> [AppGroupsLogError] {
    let guest = LogRecorder(try log.events(for: "guest"))
    try await guest.wait(for: 1)
    try await guest.saveProgress()
    return guest.failures.elements
  }

  @Test
  func `an event appended just before its producer ends is not trimmed as already read`() async throws {
    let fixture = try LogFixture()
    let place = try LogPlace(name: "log", container: fixture.fixture.container)
    var chance = Chance()
    for round in 1...Scale.count(100, torture: 20_000) {
      let segment = try await appendOnceMore(to: fixture, place, after: UInt32(chance.number(below: 200)))
      #expect(FileManager.default.fileExists(atPath: segment.path), "round \(round)")
    }
  }

  /// Appends another event as its producer ends, while a trimmer runs that may consider the first one handled.
  ///
  /// - Parameters:
  ///   - fixture: The fixture of the log.
  ///   - place: The place of the log.
  ///   - pause: The time in microseconds between the start of trimming and the last event.
  /// - Returns: The URL of the segment that contains both events.
  /// - Throws: An error of appending or trimming.
  private func appendOnceMore(to fixture: LogFixture, _ place: LogPlace, after pause: UInt32) async throws -> URL {
    let isOver = Atomic(false)
    var log: AppGroupsLog? = try fixture.log()
    let producer = try await producer(ofEventAppendedTo: log)
    async let trimming: Void = {
      let trimmer = LogTrimmer(place: place, limits: LogLimits())
      while !isOver.load(ordering: .relaxed) { try trimmer.trim(isWaiting: true) }
    }()
    // A random delay, so that the append happens at an arbitrary moment of trimming.
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
    try await recorder.saveProgress()
    return id.producer
  }
}

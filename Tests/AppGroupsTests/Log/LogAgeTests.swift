#if os(Linux)
  @testable import AppGroups
  import CLibrary
  import FileSignals
  import Foundation
  import TestSupport
  import Testing

  // A file system in memory keeps every time that a program gives a file. Most others limit it.
  @Suite("Log: files with times that no calendar has", .patient)
  struct LogAgeTests {
    private let fixture: LogFixture
    private let log: AppGroupsLog<String>
    private let consumer: ConsumerPlace

    init() throws {
      fixture = try LogFixture(Fixture(in: URL(filePath: "/dev/shm", directoryHint: .isDirectory)))
      log = try fixture.log(LogLimits(consumerAbsence: .seconds(3_600)))
      consumer = try ConsumerPlace(name: "widget", place: LogPlace(name: "log", container: fixture.fixture.container))
    }

    private var note: String { fixture.directory.appending(path: ".consumers/widget.expected").path }
    private var cursor: String { fixture.directory.appending(path: ".consumers/widget.cursor").path }

    private func setTime(_ seconds: Int, of path: String) throws {
      let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
      #expect(FileStatus.ifReadable(path: path)?.modified.tv_sec == seconds, "the file system keeps the time")
    }

    @Test func `a consumer that was last seen at the earliest time is dropped`() throws {
      // Without a moment that does not depend on the clock.
      try consumer.expect(moment: nil)
      try setTime(.min, of: note)
      try log.trim()
      let (isExpected, loss) = (try consumer.isExpected, try consumer.lossNote)
      #expect(!isExpected)
      #expect(loss == .absence)
    }

    @Test func `a note or a cursor with the earliest time is brought up to date`() throws {
      let before = Int(Date().timeIntervalSince1970)
      try consumer.expect()
      try setTime(.min, of: note)
      try consumer.expect()
      let expected = try #require(try consumer.lastKnown)
      #expect(expected >= before)
      try consumer.save([:])
      try setTime(.min, of: cursor)
      try consumer.expect()
      let seen = try #require(try consumer.lastSeen)
      #expect(seen >= before)
    }

    @Test func `a consumer that was seen at the earliest time elsewhere keeps its later note`() throws {
      let before = Int(Date().timeIntervalSince1970)
      try consumer.expect()
      try consumer.expect(since: .min)
      let expected = try #require(try consumer.lastKnown)
      #expect(expected >= before)
    }

    @Test func `an incomplete segment of the earliest time is removed`() throws {
      let shared = fixture.directory.appending(path: ".shared", directoryHint: .isDirectory)
      let litter = shared.appending(path: SegmentID(producer: UUID(), index: 1).temporaryName).path
      try Data().write(to: URL(filePath: litter))
      try setTime(.min, of: litter)
      try log.trim()
      #expect(!FileManager.default.fileExists(atPath: litter))
    }
  }
#endif

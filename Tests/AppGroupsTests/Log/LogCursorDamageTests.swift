import CLibrary
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing
@testable import AppGroups

@Suite("Log: damaged cursors", .patient, .eachKernel)
struct LogCursorDamageTests {
  private let fixture: LogFixture
  private let log: AppGroupsLog<String>
  private let texts = (1...40).map { "\($0) " + String(repeating: "x", count: 500) }

  init() throws {
    fixture = try LogFixture()
    log = try fixture.log(LogLimits(segmentSize: 4096))
  }

  private var folder: URL { fixture.directory.appending(path: ".consumers", directoryHint: .isDirectory) }

  private func place(_ name: String) throws -> ConsumerPlace {
    try ConsumerPlace(name: name, place: LogPlace(name: "log", container: fixture.fixture.container))
  }

  /// An entry in place of a cursor that is not a file.
  enum Stray: CaseIterable {
    case pipe, link, directory, fullDirectory

    func make(at url: URL) throws {
      switch self {
      case .pipe: #expect(mkfifo(url.path, 0o600) == 0)
      case .link: #expect(symlink("elsewhere", url.path) == 0)
      case .directory, .fullDirectory:
        #expect(mkdir(url.path, 0o700) == 0)
        if self == .fullDirectory { try Data().write(to: url.appending(path: "file")) }
      }
    }
  }

  /// Lets a consumer handle all present events.
  private func handle(_ count: Int, as name: String = "widget") async throws {
    do {
      let recorder = LogRecorder(try log.events(for: name))
      try await recorder.wait(for: count)
      try await recorder.saveProgress()
    }
    try await fixture.settle(name)
  }

  @Test
  func `no flipped bit in a cursor moves it past the handled events`() async throws {
    for text in texts[..<20] { try log.append(text) }
    try await handle(20)
    let place = try place("widget")
    let handled = try #require(try place.load()?[log.producer])
    let url = folder.appending(path: "widget.cursor")
    let bytes = try DurableFile.read(url)
    for index in bytes.indices {
      for change in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80] as [UInt8] {
        var damaged = bytes
        damaged[index] ^= change
        try damaged.write(to: url)
        do {
          let position = try place.load()?[log.producer]
          #expect(position == nil || position == handled, "\(String(decoding: damaged, as: UTF8.self))")
        } catch .unreadableCursor {
        } catch {
          Issue.record("\(error)")
        }
      }
    }
  }

  @Test
  func `a wrong digit in a cursor is reported, and skips no event`() async throws {
    for text in texts[..<2] { try log.append(text) }
    try await handle(2)
    for text in texts[2...] { try log.append(text) }
    let url = folder.appending(path: "widget.cursor")
    let text = try fixture.fixture.text(of: url)
    #expect(text.contains("\"sequence\":2"))
    try Data(text.replacing("\"sequence\":2", with: "\"sequence\":30").utf8).write(to: url)
    let recorder = LogRecorder(try log.events(for: "widget"))
    #expect(try await recorder.wait(for: 40) == texts)
    try await recorder.firstFailure { if case .unreadableCursor("widget", _, _) = $0 { true } else { false } }
    #expect(recorder.failures.elements.count == 1)
  }

  @Test
  func `a cursor without a checksum, and a segment of the first version, are read`() async throws {
    let segment = try #require(
      Data(
        base64Encoded: """
          U0lHTE9HMDFvHTpSjARLfpo9L1scDn1IAQAAAAAAAAABAAAAAAAAAIARA2ts+UUCBQAAANBYUsEBAAAAAAAAAAAAz3JRaeoYIm9uZSIFAAAA\
          XaPaCQIAAAAAAAAAAQDPclFp6hgidHdvIgcAAACooX9PAwAAAAAAAAACAM9yUWnqGCJ0aHJlZSI=
          """))
    let producer = "6F1D3A52-8C04-4B7E-9A3D-2F5B1C0E7D48"
    try segment.write(to: fixture.directory.appending(path: "\(producer.lowercased()).00000001.segment"))
    try Data(#"{"positions":{"\#(producer)":{"segment":1,"offset":77,"sequence":1,"isBroken":false}}}"#.utf8)
      .write(to: folder.appending(path: "old.cursor"))
    let all = LogRecorder(try log.events(for: "new"))
    #expect(try await all.wait(for: 3) == ["one", "two", "three"])
    let rest = LogRecorder(try log.events(for: "old"))
    #expect(try await rest.wait(for: 2) == ["two", "three"])
    #expect(all.failures.elements == [] && rest.failures.elements == [])
  }

  @Test(arguments: Stray.allCases, [0.0, -7200])
  func `a stray entry among the cursors neither stops trimming nor disturbs other consumers`(
    stray: Stray, age: Double
  ) async throws {
    let log = try fixture.log(LogLimits(segmentSize: 4096, consumerAbsence: .seconds(3600)))
    let url = folder.appending(path: "stray.cursor")
    try stray.make(at: url)
    let times = [timeval](repeating: timeval(tv_sec: time(nil) + Int(age), tv_usec: 0), count: 2)
    #expect(lutimes(url.path, times) == 0)
    for text in texts { try log.append(text) }
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.wait(for: 40)
    try await recorder.saveProgress()
    try log.trim()
    // The segment that is being appended to stays.
    #expect(try fixture.segments().count == 1)
    #expect(recorder.failures.elements == [])
  }

  @Test
  func `a directory in place of the lock does not keep an absent consumer from being dropped`() async throws {
    try await handle(0, as: "gone")
    for suffix in ["lock", "loss"] {
      let url = folder.appending(path: "gone.\(suffix)")
      try? FileManager.default.removeItem(at: url)
      try Stray.directory.make(at: url)
    }
    try fixture.makeAbsent("gone")
    let cursor = folder.appending(path: "gone.cursor")
    let log = try fixture.log(LogLimits(segmentSize: 4096, consumerAbsence: .seconds(3600)))
    for text in texts { try log.append(text) }
    let recorder = LogRecorder(try log.events(for: "widget"))
    try await recorder.wait(for: 40)
    try await recorder.saveProgress()
    try log.trim()
    #expect(try fixture.segments().count == 1)
    #expect(!FileManager.default.fileExists(atPath: cursor.path))
  }

  @Test
  func `segments are kept for a running consumer, even if a link replaces its cursor`() async throws {
    let url = folder.appending(path: "slow.cursor")
    let slow = try log.events(for: "slow", acknowledgement: .explicit)
    let entries = slow.recorded()
    for text in texts { try log.append(text) }
    let last = try await entries.wait(for: "all") { $0.count == 40 }[39]
    try await handle(40)
    let count = try fixture.segments().count
    // In one step: while that place is empty, no segment is kept for the consumer, and a trim may be in progress.
    let stray = folder.appending(path: "stray")
    try Stray.link.make(at: stray)
    #expect(rename(stray.path, url.path) == 0)
    try log.trim()
    #expect(try fixture.segments().count == count)
    #expect(unlink(url.path) == 0)
    slow.acknowledge(last)
    try await slow.saveProgress()
    try log.trim()
    #expect(try fixture.segments().count == 1)
  }

  @Test(arguments: [Stray.pipe, .link, .directory])
  func `a stray entry at a cursor is reported and replaced, and every event is delivered`(stray: Stray) async throws {
    // In one segment, which cannot be removed while this process may append to it.
    let log = try fixture.log()
    for text in texts { try log.append(text) }
    let url = folder.appending(path: "widget.cursor")
    try stray.make(at: url)
    try await handle(40)
    #expect(try place("widget").load()?[log.producer]?.sequence == 40)
    try FileManager.default.removeItem(at: url)
    try stray.make(at: url)
    let recorder = LogRecorder(try log.events(for: "widget"))
    #expect(try await recorder.wait(for: 40) == texts)
    #expect(recorder.failures.elements.count == 1)
    try await recorder.firstFailure { if case .unreadableCursor("widget", url, _) = $0 { true } else { false } }
  }

  @Test
  func `an oversized cursor is rejected before it is read`() throws {
    let widget = try place("widget")
    let url = widget.place.consumers.appending(path: "widget.cursor")
    try Data().write(to: url)
    // It is sparse, so it occupies no disk space, but it would fill memory.
    try #require(truncate(url.path, 1 << 40) == 0)
    let reason = "its \(1 << 40) bytes exceed the limit for a cursor"
    #expect(throws: AppGroupsLogError.unreadableCursor(consumer: "widget", url, reason: reason)) { try widget.load() }
  }

  @Test
  func `an unreadable cursor is not mistaken for a consumer in use`() async throws {
    for text in texts { try log.append(text) }
    let url = folder.appending(path: "widget.cursor")
    try Stray.fullDirectory.make(at: url)
    let recorder = LogRecorder(try log.events(for: "widget"))
    // After ten attempts, a consumer in use would have been reported.
    try await recorder.firstFailure { _ in true }
    for attempt in 1...10 {
      recorder.events.feed.queue.sync {}
      try await Task.sleep(for: .milliseconds(10 * attempt))
    }
    #expect(recorder.entries.elements == [])
    #expect(recorder.failures.elements.count == 1)
    #expect(!recorder.failures.elements.contains { $0.isUse(of: "widget", by: getpid()) })
    try FileManager.default.removeItem(at: url)
    #expect(try await recorder.wait(for: 40) == texts)
  }
}

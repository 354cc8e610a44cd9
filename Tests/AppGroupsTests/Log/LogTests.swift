import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@testable import AppGroups

@Suite("Log: appending and consuming", .patient, .eachKernel)
struct LogTests {
  @Test
  func `events appended before and after a consumer began are delivered in order`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let first = try log.append("one")
    try log.append("two")
    let recorder = LogRecorder(try log.events(for: "widget"))
    let rest = try log.append(contentsOf: ["three", "four"])
    #expect(try await recorder.wait(for: 4) == ["one", "two", "three", "four"])
    #expect(recorder.entries.elements.map(\.id) == [first, LogEventID(producer: first.producer, sequence: 2)] + rest)
    #expect(recorder.entries.elements.map(\.sequence) == [1, 2, 3, 4])
    let dates = recorder.entries.elements.map(\.date)
    #expect(dates == dates.sorted() && abs(dates[0].timeIntervalSinceNow) < 3600)
    #expect(recorder.failures.elements.isEmpty)
  }

  @Test
  func `a log's directory can be removed while a loop reads it`() async throws {
    for _ in 0..<20 {
      let fixture = try LogFixture()
      try fixture.log().append("one")
      let events = try fixture.log().events(for: "widget")
      var iterator = events.values.makeAsyncIterator()
      #expect(await iterator.next()?.event == "one")
      try await events.saveProgress()
      try FileManager.default.removeItem(at: fixture.directory)
      withExtendedLifetime(iterator) {}
    }
  }

  @Test
  func `progress that is saved after the last subscription is complete`() async throws {
    for _ in 0..<20 {
      let fixture = try LogFixture()
      let log = try fixture.log()
      try log.append("one")
      let events = try log.events(for: "widget")
      let (received, saving) = (MutableProperty(false), DispatchSemaphore(value: 0))
      let subscription = events.sink { _ in
        received.value = true
        saving.wait()
        // Time for a save that does not wait for this closure.
        for _ in 0..<1_000 { sched_yield() }
      }
      _ = try await received.firstValue("the event") { $0 }
      subscription.cancel()
      saving.signal()
      try await events.saveProgress()
      let consumer = try ConsumerPlace(name: "widget", place: events.feed.location.readablePlace)
      #expect(try consumer.load()?.values.map(\.sequence) == [1])
      #expect(!consumer.isRunning)
    }
  }

  @Test
  func `a consumer resumes where it stopped, even after being away`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    do {
      let recorder = LogRecorder(try log.events(for: "widget"))
      try log.append("one")
      try await recorder.wait(for: 1)
    }
    try log.append("two")
    let recorder = LogRecorder(try log.events(for: "widget"))
    try log.append("three")
    #expect(try await recorder.wait(for: 2) == ["two", "three"])
  }

  @Test
  func `two consumers are independent of each other`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    try log.append("one")
    let first = LogRecorder(try log.events(for: "first"))
    try await first.wait(for: 1)
    try log.append("two")
    let second = LogRecorder(try log.events(for: "second"))
    #expect(try await first.wait(for: 2) == ["one", "two"])
    #expect(try await second.wait(for: 2) == ["one", "two"])
  }

  @Test
  func `new events begin with the first one after the subscription`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    try log.append("old")
    let new = LogRecorder(try log.newEvents())
    let consumer = LogRecorder(try log.events(for: "late", startingAt: .newest))
    try log.append("new")
    #expect(try await new.wait(for: 1) == ["new"])
    #expect(try await consumer.wait(for: 1) == ["new"])
  }

  @Test
  func `own events can be excluded, and later events of others do not bring them back`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let peer = try await fixture.peer()
    let recorder = LogRecorder(try log.events(for: "widget", includingOwn: false))
    try log.append("ours")
    try await peer.send("append theirs")
    try log.append("ours")
    try await peer.send("append also theirs")
    #expect(try await recorder.wait(for: 2) == ["theirs", "also theirs"])
  }

  @Test
  func `unacknowledged events are redelivered, and acknowledged ones are not`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    try log.append(contentsOf: ["one", "two", "three"])
    do {
      let events = try log.events(for: "widget", acknowledgement: .explicit)
      let recorder = LogRecorder(events)
      try await recorder.wait(for: 3)
      events.acknowledge(recorder.entries.elements[1])
      try await events.saveProgress()
    }
    let recorder = LogRecorder(try log.events(for: "widget", acknowledgement: .explicit))
    #expect(try await recorder.wait(for: 1) == ["three"])
  }

  @Test
  func `a loop handles an event by requesting the next one`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    try log.append(contentsOf: (1...200).map(String.init))
    let events = try log.events(for: "widget")
    var seen: [String] = []
    for await entry in events.values {
      seen.append(entry.event)
      if seen.count == 150 { break }
    }
    // The event at the break was not handled, and neither were those buffered after it.
    for await entry in events.values {
      seen.append(entry.event)
      if entry.event == "200" { break }
    }
    let expected = Array(1...150) + Array(150...200)
    #expect(seen == expected.map { String($0) })
  }

  @Test
  func `a cancelled loop ends`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let events = try log.events(for: "widget")
    let started = Recorder<String>()
    let task = Task {
      var count = 0
      for await entry in events.values {
        count += 1
        started.record(entry.event)
      }
      return count
    }
    try log.append("one")
    try await started.wait(for: "one event") { $0.count == 1 }
    task.cancel()
    #expect(await task.value == 1)
  }

  @Test
  func `a subscriber may append and cancel in its callback`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let seen = Recorder<String>()
    let events = try log.events(for: "widget")
    let tokens = MutableProperty<SignalSubscription?>(nil)
    tokens.value = events.sink { entry in
      seen.record(entry.event)
      if entry.event == "3" { tokens.value = nil }
      do { try log.append("\(entry.sequence + 1)") } catch { seen.record("\(error)") }
    }
    try log.append("1")
    try await seen.wait(for: "three events") { $0.count == 3 }
    let rest = LogRecorder(events)
    #expect(try await rest.wait(for: 1).first == "4")
    #expect(seen.elements == ["1", "2", "3"])
  }

  @Test
  func `events that many threads append to one log are each delivered once`() async throws {
    let fixture = try LogFixture()
    let recorder = LogRecorder(try fixture.log().events(for: "widget"))
    let logs = try [fixture.log(LogLimits(segmentSize: 8192)), fixture.log(LogLimits(segmentSize: 8192))]
    let failures = Recorder<String>()
    withThreads(4) { thread in
      for number in 1...200 {
        do { try logs[thread % 2].append("\(thread) \(number)") } catch { failures.record("\(error)") }
      }
    }
    let texts = try await recorder.wait(for: 800)
    #expect(failures.elements.isEmpty && recorder.failures.elements.isEmpty)
    for thread in 0..<4 {
      #expect(texts.filter { $0.hasPrefix("\(thread) ") } == (1...200).map { "\(thread) \($0)" })
    }
    // All threads are one producer, whose events are numbered without a gap.
    #expect(recorder.entries.elements.map(\.sequence) == Array(1...800))
    // Handled segments are removable now; earlier trims may have run before they were handled.
    try await recorder.saveProgress()
    try logs[0].trim()
    #expect(try fixture.segments().allSatisfy { !$0.lastPathComponent.hasSuffix(".00000001.segment") })
  }

  @Test
  func `only one object at a time acts as a consumer, and a second one takes over from the first`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    var first: LogRecorder? = LogRecorder(try log.events(for: "widget"))
    try log.append("one")
    try await first?.wait(for: 1)
    let second = LogRecorder(try log.events(for: "widget"))
    try await second.firstFailure { $0.isUse(of: "widget", by: getpid()) }
    first = nil
    try log.append("two")
    #expect(try await second.wait(for: 1) == ["two"])
  }

  @Test(arguments: ["", ".hidden", "a/b", "../up", "line\nbreak", String(repeating: "x", count: 201)])
  func `an invalid name is rejected`(name: String) throws {
    let fixture = try LogFixture()
    #expect(throws: AppGroupsLogError.self) {
      try AppGroupsLog<String>(name: name, container: fixture.fixture.container)
    }
    let log = try fixture.log()
    #expect(throws: AppGroupsLogError.self) { try log.events(for: name) }
    #expect(throws: AppGroupsLogError.self) { try log.removeConsumer(name) }
  }

  @Test
  func `only the user can access a log's files, and links do not lead out of it`() async throws {
    let fixture = try LogFixture()
    let log = try fixture.log()
    let recorder = LogRecorder(try log.events(for: "widget"))
    try log.append("one")
    try await recorder.wait(for: 1)
    let files = try #require(FileManager.default.enumerator(atPath: fixture.directory.path))
    for case let name as String in files {
      let path = fixture.directory.appending(path: name).path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == (isDirectory ? 0o700 : 0o600), "\(name)")
    }
    let elsewhere = fixture.fixture.directory.url.appending(path: "elsewhere")
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: fixture.directory.deletingLastPathComponent().appending(path: "linked"), withDestinationURL: elsewhere)
    #expect(throws: AppGroupsLogError.self) {
      try AppGroupsLog<String>(name: "linked", container: fixture.fixture.container)
    }
    // A link as a consumer's cursor is neither read nor followed, but replaced.
    try FileManager.default.createSymbolicLink(
      at: fixture.directory.appending(path: ".consumers/evil.cursor"),
      withDestinationURL: elsewhere.appending(path: "target"))
    let evil = LogRecorder(try log.events(for: "evil"))
    try await evil.firstFailure { if case .unreadableCursor("evil", _, _) = $0 { true } else { false } }
    #expect(try fixture.fixture.contents(of: elsewhere).isEmpty)
  }

  @Test
  func `an event that is too large or cannot be encoded is rejected, and the next one is appended`() async throws {
    let fixture = try LogFixture()
    let numbers = try AppGroupsLog<Double>(name: "numbers", container: fixture.fixture.container)
    #expect { try numbers.append(.infinity) } throws: {
      if case AppGroupsLogError.unencodable = $0 { true } else { false }
    }
    let log = try fixture.log()
    #expect { try log.append(String(repeating: "x", count: 17 << 20)) } throws: {
      if case AppGroupsLogError.tooLarge = $0 { true } else { false }
    }
    #expect(try log.append("small").sequence == 1)
    let large = String(repeating: "y", count: 3 << 20)
    #expect(try log.append(large).sequence == 2)
    let recorder = LogRecorder(try log.events(for: "widget"))
    #expect(try await recorder.wait(for: 2) == ["small", large])
  }
}

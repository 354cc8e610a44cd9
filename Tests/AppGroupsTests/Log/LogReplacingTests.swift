@testable import AppGroups
import Foundation
import KqueueModel
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Log: loops and sinks that are replaced while they are busy", .seeded, .patient, .eachKernel)
struct LogReplacingTests {
  private let fixture: LogFixture
  private let log: AppGroupsLog<String>

  init() throws {
    fixture = try LogFixture()
    log = try fixture.log()
  }

  /// Begins a loop that has received the first of ten events, and has the others in its buffer.
  private func busyLoop(over events: LogEvents<String>) async throws -> LogValues<String>.Iterator? {
    try log.append(contentsOf: (1...10).map(String.init))
    var loop = events.values.makeAsyncIterator()
    #expect(await loop.next()?.event == "1")
    readOn(events)
    return loop
  }

  /// Lets a feed read what is in the log, and waits for it.
  private func readOn(_ events: LogEvents<String>) {
    events.feed.queue.sync { events.feed.continueReading() }
  }

  @Test(arguments: [LogAcknowledgement.automatic, .explicit])
  func `a loop that replaces a busy one receives its unhandled events, in order`(
    acknowledgement: LogAcknowledgement
  ) async throws {
    let events = try log.events(for: "widget", acknowledgement: acknowledgement)
    var old = try await busyLoop(over: events)
    var new = events.values.makeAsyncIterator()
    try log.append("11")
    readOn(events)
    withExtendedLifetime(old) {}
    old = nil
    try log.append("12")
    for number in 1...12 { #expect(await new.next()?.event == "\(number)") }
  }

  @Test
  func `a sink that replaces a busy loop receives its unhandled events, in order`() async throws {
    let events = try log.events(for: "widget")
    var old = try await busyLoop(over: events)
    #expect(await old?.next()?.event == "2")
    let new = LogRecorder(events)
    try log.append("11")
    readOn(events)
    #expect(new.texts == [])
    withExtendedLifetime(old) {}
    old = nil
    #expect(try await new.wait(for: 10) == (2...11).map(String.init))
    try await new.saveProgress()
    let place = try ConsumerPlace(name: "widget", place: LogPlace(name: "log", container: fixture.fixture.container))
    #expect(try place.load()?[log.producer]?.sequence == 11)
  }

  @Test
  func `events that another loop has received, too, are not delivered to it again`() async throws {
    let events = try log.events(for: "widget")
    var (first, second) = (Optional(events.values.makeAsyncIterator()), events.values.makeAsyncIterator())
    try log.append(contentsOf: ["1", "2", "3"])
    #expect(await first?.next()?.event == "1")
    #expect(await second.next()?.event == "1")
    first = nil
    for text in ["2", "3"] { #expect(await second.next()?.event == text) }
    try log.append("4")
    #expect(await second.next()?.event == "4")
    try await events.saveProgress()
    let place = try ConsumerPlace(name: "widget", place: LogPlace(name: "log", container: fixture.fixture.container))
    #expect(try place.load()?[log.producer]?.sequence == 3)
  }

  @Test
  func `a loop beside a busy one begins after the events that the other one has`() async throws {
    let events = try log.events(for: "widget")
    var first = try #require(await busyLoop(over: events))
    var second = events.values.makeAsyncIterator()
    for number in 2...10 { #expect(await first.next()?.event == "\(number)") }
    try log.append("11")
    // Asking for the next event, the first loop has handled all earlier ones.
    #expect(await first.next()?.event == "11")
    #expect(await second.next()?.event == "11")
  }

  @Test
  func `a busy loop goes on after a newer subscriber has left`() async throws {
    let events = try log.events(for: "widget")
    var first = try #require(await busyLoop(over: events))
    let newer = events.sink { Issue.record("it received \($0.event)") }
    try log.append("11")
    readOn(events)
    newer.cancel()
    for number in 2...11 { #expect(await first.next()?.event == "\(number)") }
  }

  @Test
  func `a loop over new events leaves nothing to a later one`() async throws {
    let events = try log.newEvents()
    var old = Optional(events.values.makeAsyncIterator())
    try log.append(contentsOf: ["1", "2"])
    #expect(await old?.next()?.event == "1")
    readOn(events)
    var new = events.values.makeAsyncIterator()
    old = nil
    try log.append("3")
    #expect(await new.next()?.event == "3")
  }

  // MARK: Random replacements

  @Test
  func `however often loops and sinks replace each other, all events arrive, each first in its order`() async throws {
    try await runRandomPrograms(seconds: 2, repetitions: 20) { seed in
      let faults = try await faults(ofProgram: seed)
      #expect(faults == [], "SIGNALS_SEED=\(seed)")
      return faults == []
    }
  }

  /// Replaces loops and sinks at random while events are appended, and returns the errors in what they received.
  private func faults(ofProgram seed: UInt64) async throws -> [String] {
    var chance = Chance(seed: seed)
    let fixture = try LogFixture()
    let log = try fixture.log(LogLimits(segmentSize: 4096))
    let events = try log.events(for: "widget")
    let received = Recorder<(member: Int, sequence: UInt64)>()
    let failures = events.failures.recorded()
    let count = 150 + chance.number(below: 300)
    let pauses = (0..<count).map { _ in chance.once(in: 3) ? UInt32(chance.number(below: 300)) : 0 }
    async let appending: Void = {
      for number in 1...count {
        try log.append("\(number)")
        if pauses[number - 1] > 0 { usleep(pauses[number - 1]) }
      }
    }()
    var task: Task<Void, Never>?
    var sink: SignalSubscription?
    for member in 1...40 {
      let (oldTask, oldSink) = (task, sink)
      let isCancelledFirst = chance.once(in: 2)
      if isCancelledFirst { cancel(oldTask, oldSink) }
      (task, sink) = (nil, nil)
      if member < 40, chance.once(in: 4) {
        sink = events.sink { received.record((member, $0.sequence)) }
      } else {
        let pace = chance.number(below: 200)
        task = Task {
          for await entry in events.values {
            received.record((member, entry.sequence))
            if pace > 0 { usleep(UInt32(pace)) }
            if pace % 2 == 1 { await Task.yield() }
          }
        }
      }
      if !isCancelledFirst { cancel(oldTask, oldSink) }
      // A random delay, so that the replacement happens at an arbitrary moment.
      if member < 40 { try await Task.sleep(for: .microseconds(chance.number(below: 6000))) }
    }
    try await appending
    // The earlier members may have handled all others.
    try log.append("last")
    let all = try await received.wait(for: "the last event") { $0.contains { $0 == (40, UInt64(count) + 1) } }
    task?.cancel()
    await task?.value
    var (faults, seen): ([String], Set<UInt64>) = (failures.elements.map { "\($0)" }, [])
    for (member, sequence) in all where seen.insert(sequence).inserted && sequence != UInt64(seen.count) {
      faults.append("member \(member) received \(sequence) when \(seen.count) was due")
    }
    return seen.count == count + 1 ? faults : faults + ["\(count + 1 - seen.count) of \(count + 1) were lost"]
  }

  private func cancel(_ task: Task<Void, Never>?, _ sink: SignalSubscription?) {
    task?.cancel()
    sink?.cancel()
  }
}

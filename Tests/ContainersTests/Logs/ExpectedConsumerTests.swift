import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

@Suite("Consumers that arrive late in an environment", .timeLimit(.minutes(5)))
struct ExpectedConsumerTests {
  private let world: LogWorld
  private let app: AppContainer
  private let log: AppGroupsLog<String>
  private let ids: [UUID]

  init() throws {
    world = try LogWorld()
    (app, log, ids) = (world.app, world.log, world.ids)
  }

  /// Starts a process that has received an event as the consumer `widget`.
  private func widget() async throws -> PeerProcess {
    let widget = try await world.peer()
    try await widget.send("follow-log widget")
    try log.append("default 1")
    try await expect("default 1", by: widget)
    return widget
  }

  private func expect(_ text: String, by peer: PeerProcess) async throws {
    try await peer.events.wait(for: text) { events in events.contains { $0.hasSuffix(" \(text)") } }
  }

  /// Switches to another environment, appends an event there, and has it removed as far as the known consumers allow.
  private func appendAndTrim(_ text: String, to id: UUID) async throws {
    try await app.activate(id: id)
    try log.append(text)
    let events = try log.events(for: "app")
    let consumer = EntryRecorder(events)
    try await consumer.entries.first(text) { $0.event == text }
    try await events.saveProgress()
    // After a switch, another producer appends, so the segment of this one may be removed.
    try await app.activate(id: ids[0])
    try await app.activate(id: id)
    try log.append("later")
    try await onThread { [log] in try log.trim() }
  }

  @Test func `a consumer that follows a switch late receives the events before its arrival`() async throws {
    let widget = try await widget()
    widget.signal(SIGSTOP)
    try await appendAndTrim("work 1", to: ids[1])
    widget.signal(SIGCONT)
    try await expect("work 1", by: widget)
    #expect(!widget.events.elements.contains { $0.hasPrefix("failure ") })
  }

  @Test func `a consumer that ran only in another environment receives the events before its arrival`() async throws {
    try await widget().kill()
    try await appendAndTrim("work 1", to: ids[1])
    // It is expected in each environment that is reached from one in which it is expected.
    try await appendAndTrim("play 1", to: ids[2])
    for (id, text) in zip(ids.dropFirst(), ["work 1", "play 1"]) {
      try await app.activate(id: id)
      let late = EntryRecorder(try log.events(for: "widget"))
      try await late.expect([text, "later"])
    }
  }

  @Test func `a process without the log keeps the events for a consumer that follows late, too`() async throws {
    let switcher = try PeerProcess()
    try await switcher.send("env \(world.fixture.root.path)")
    let widget = try await widget()
    widget.signal(SIGSTOP)
    try await switcher.send("env-activate \(ids[1])")
    try await appendAndTrim("work 1", to: ids[1])
    widget.signal(SIGCONT)
    try await expect("work 1", by: widget)
  }

  @Test func `a consumer that was idle for long counts as present in the new environment, if it runs`() async throws {
    let widget = try await widget()
    let long = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 0)]
    let cursor = world.directory(of: ids[0]).appending(path: ".consumers/widget.cursor")
    widget.signal(SIGSTOP)
    try FileManager.default.setAttributes(long, ofItemAtPath: cursor.path)
    try await appendAndTrim("work 1", to: ids[1])
    // So does one that ran there long ago.
    try await app.activate(id: ids[0])
    let note = world.directory(of: ids[1]).appending(path: ".consumers/widget.expected")
    try FileManager.default.setAttributes(long, ofItemAtPath: note.path)
    try await appendAndTrim("work 2", to: ids[1])
    widget.signal(SIGCONT)
    try await expect("work 1", by: widget)
    try await expect("work 2", by: widget)
    #expect(!widget.events.elements.contains { $0.hasPrefix("failure ") })
  }

  @Test func `the log is not kept any more for a consumer that has arrived, or was removed`() async throws {
    try await widget().kill()
    func hasNote(in id: UUID) -> Bool {
      Tree.exists(world.directory(of: id).appending(path: ".consumers/widget.expected"))
    }
    try await app.activate(id: ids[1])
    #expect(hasNote(in: ids[1]))
    try log.append("work 1")
    try await EntryRecorder(try log.events(for: "widget")).expect(["work 1"])
    #expect(!hasNote(in: ids[1]))
    try await app.activate(id: ids[2])
    #expect(hasNote(in: ids[2]))
    try await onThread { [log] in try log.removeConsumer("widget") }
    #expect(!hasNote(in: ids[2]))
    // It was removed from this environment only, and stays removed.
    try await app.activate(id: ids[1])
    try await app.activate(id: ids[2])
    #expect(!hasNote(in: ids[2]))
  }

  @Test func `events without a subscriber keep no log`() async throws {
    let events = try log.events(for: "unused")
    try await app.activate(id: ids[1])
    #expect(!Tree.exists(world.directory(of: ids[1]).appending(path: ".consumers/unused.expected")))
    withExtendedLifetime(events) {}
  }
}

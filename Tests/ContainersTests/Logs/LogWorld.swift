import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

/// A root with three environments and a log in its scope.
struct LogWorld: Sendable {
  let fixture: Fixture
  let app: AppContainer
  let log: AppGroupsLog<String>
  let ids: [UUID]

  var names: String { ids.map(\.uuidString).joined(separator: ",") }

  init(_ limits: LogLimits = LogLimits(), onSwitch: ScopePolicy = .follows) throws {
    fixture = try Fixture(filled: false)
    app = try fixture.open()
    let made = try [app.create(name: "Work"), app.create(name: "Play")]
    ids = [Environment.defaultID] + made.map(\.id)
    log = try AppGroupsLog(name: "events", scope: app.scope, onSwitch: onSwitch, limits: limits)
  }

  /// Starts another process that opens the root and the log.
  func peer() async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    try await peer.send("log-in \(fixture.root.path) events")
    return peer
  }

  /// The current directory of an environment's log.
  func directory(of id: UUID) -> URL {
    let root = app.active.value.id == id ? fixture.root : fixture.url(".containers/\(id)/data")
    return root.appending(path: "Logs/events", directoryHint: .isDirectory)
  }

  /// Returns the events in an environment's log, read by a new consumer.
  func texts(in id: UUID) async throws -> [String] {
    try await app.activate(id: id)
    try log.append("the last")
    let reader = try log.events(for: "a test \(UUID())")
    var texts: [String] = []
    for await entry in reader.values {
      if entry.event == "the last", entry.producer == log.producer { break }
      texts.append(entry.event)
    }
    return texts.filter { $0 != "the last" }
  }
}

/// The entries that a consumer received, and its failures.
struct EntryRecorder: Sendable {
  let events: LogEvents<String>
  let entries: Recorder<LogEntry<String>>
  let failures: Recorder<AppGroupsLogError>

  init(_ events: LogEvents<String>) {
    self.events = events
    failures = events.failures.recorded()
    entries = events.recorded()
  }

  var texts: [String] { entries.elements.map(\.event) }

  /// Waits for exactly these events.
  func expect(_ texts: [String], _ comment: String = "") async throws {
    let got = try await entries.wait(for: "\(texts) \(comment)", timeout: .seconds(60)) { $0.count >= texts.count }
    #expect(got.map(\.event) == texts, "\(comment)")
    #expect(failures.elements == [], "\(comment)")
  }
}

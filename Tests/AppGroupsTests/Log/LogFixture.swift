import AppGroups
import Foundation
import Signals
import TestSupport

/// A log of one test's own.
struct LogFixture: Sendable {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  var directory: URL { fixture.container.containerURL.appending(path: "Logs/log", directoryHint: .isDirectory) }

  func log(_ limits: LogLimits = LogLimits()) throws -> AppGroupsLog<String> {
    try AppGroupsLog(name: "log", container: fixture.container, limits: limits)
  }

  /// Starts a process that has the log open.
  func peer() async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("log \(fixture.path) log")
    return peer
  }

  /// The segments that there are, in order of their names.
  func segments() throws -> [URL] {
    try fixture.contents(of: directory).filter { $0.hasSuffix(".segment") }.map { directory.appending(path: $0) }
  }
}

/// What a consumer was given, with what went wrong.
struct LogRecorder {
  let entries: Recorder<LogEntry<String>>
  let failures: Recorder<AppGroupsLogError>

  init(_ events: LogEvents<String>) {
    failures = events.failures.recorded()
    entries = events.recorded()
  }

  var texts: [String] { entries.elements.map(\.event) }

  /// Waits for so many events.
  @discardableResult
  func wait(for count: Int) async throws -> [String] {
    try await entries.wait(for: "\(count) events") { $0.count >= count }.map(\.event)
  }

  func firstFailure(where isWanted: @escaping @Sendable (AppGroupsLogError) -> Bool) async throws {
    try await failures.first("a failure", where: isWanted)
  }
}

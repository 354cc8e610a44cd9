import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing
@testable import AppGroups

@Suite("Log: waiting for other processes", .patient)
struct LogWaitingTests {
  private let fixture: LogFixture
  private let log: AppGroupsLog<String>

  init() throws {
    fixture = try LogFixture()
    log = try fixture.log()
  }

  private func place(_ consumer: String) throws -> ConsumerPlace {
    try ConsumerPlace(name: consumer, place: LogPlace(name: "log", container: fixture.fixture.container))
  }

  @Test(arguments: [nil, Duration.milliseconds(50)])
  func `the process that has a consumer's name is reported, and the consumer continues after it`(
    limit: Duration?
  ) async throws {
    fixture.fixture.container.lockTimeout = limit
    defer { fixture.fixture.container.lockTimeout = nil }
    let peer = try await fixture.peer()
    try await peer.send("follow-log widget")
    try await peer.send("append theirs")
    try await peer.events.first("the event") { $0.hasSuffix(" theirs") }
    peer.signal(SIGSTOP)
    let recorder = LogRecorder(try log.events(for: "widget"))
    try log.append("ours")
    try await recorder.firstFailure { $0.isUse(of: "widget", by: peer.identifier) }
    do {
      try log.removeConsumer("widget")
      Issue.record("the consumer was removed")
    } catch {
      #expect(error.isUse(of: "widget", by: peer.identifier))
    }
    try await peer.kill()
    try await recorder.entries.first("the event") { $0.event == "ours" }
    #expect(recorder.failures.elements.count == 1)
  }

  @Test
  func `a process that was stopped while it removed events is reported, and a new consumer receives events`()
    async throws
  {
    fixture.fixture.container.lockTimeout = .milliseconds(50)
    defer { fixture.fixture.container.lockTimeout = nil }
    let peer = try await fixture.peer()
    // This lock is the one of trimming.
    try await peer.send("hold \(fixture.directory.path)/trim")
    peer.signal(SIGSTOP)
    let recorder = LogRecorder(try log.events(for: "widget"))
    try log.append("one")
    let isReport: @Sendable (AppGroupsLogError) -> Bool = { error in
      guard case .inaccessible(.lockTimeout(_, _, let holder)) = error else { return false }
      #if os(Linux)
        return holder?.processIdentifier == peer.identifier && holder?.isStopped == true
      #else
        return true
      #endif
    }
    try await recorder.firstFailure(where: isReport)
    #expect(try await recorder.wait(for: 1) == ["one"])
    #expect(try !place("widget").exists)
    do {
      try await onThread { [log] in try log.trim() }
      Issue.record("two processes trim at once")
    } catch let error as AppGroupsLogError {
      #expect(isReport(error))
    }
    let saves = try DirectoryObserver(fixture.directory.appending(path: ".consumers")).recorded()
    peer.signal(SIGCONT)
    try await peer.send("release")
    try await saves.first("the registration") { $0.url.lastPathComponent == "widget.cursor" }
    #expect(try place("widget").exists)
  }

  @Test
  func `a consumer counts as running if its lock cannot be opened`() async throws {
    let lock = try #require(try place("widget").lock())
    await withoutDescriptors {
      await #expect(processExitsWith: .success) { [path = fixture.fixture.path as String] in
        let container = try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
        let place = try LogPlace(name: "log", container: container)
        let (widget, other) = try (ConsumerPlace(name: "widget", place: place), ConsumerPlace(name: "x", place: place))
        let taken = takeDescriptors()
        #expect(widget.isRunning)
        for descriptor in taken { close(descriptor) }
        #expect(widget.isRunning && !other.isRunning)
      }
    }
    withExtendedLifetime(lock) {}
    #expect(mkdir(fixture.directory.appending(path: ".consumers/stray.lock").path, 0o700) == 0)
    #expect(try !place("stray").isRunning)
  }
}

extension AppGroupsLogError {
  /// Returns a Boolean value that indicates whether a process uses the name of a consumer.
  func isUse(of consumer: String, by process: Int32) -> Bool {
    guard case .consumerInUse(consumer, let holder) = self else { return false }
    #if os(Linux)
      return holder?.processIdentifier == process
    #else
      return true
    #endif
  }
}

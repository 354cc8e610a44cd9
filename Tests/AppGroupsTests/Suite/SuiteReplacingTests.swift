import Dispatch
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@testable import AppGroups

@Suite("A suite whose file or folder another program replaces in the middle of a change", .patient, .eachKernel)
struct SuiteReplacingTests: JournaledSuiteTests {
  /// What happens in the moment in which the whole content is sealed in order to be stored.
  private final class Moment: Sendable {
    private struct Action {
      var body: (@Sendable () throws -> Void)?
    }

    private let action = Guarded(Action())

    func callAsFunction() throws { try action.withLock { $0.body }?() }

    func set(_ body: (@Sendable () throws -> Void)?) { action.withLock { $0.body = body } }
  }

  let fixture: Fixture
  let suite: AppGroupsSuite
  private let whileStoring = Moment()

  init() throws {
    fixture = try Fixture()
    let seal = FileSeal("1", key: whileStoring, adoptsPlain: true) { plain, _, moment in
      if plain.first == UInt8(ascii: "{") { try moment() }
      return plain
    } open: { sealed, _, _ in
      sealed
    }
    suite = try AppGroupsSuite(
      name: "suite.json", container: fixture.container, seal: seal, options: .init(durability: .process))
  }

  /// Replaces the file as a program does that knows no locks, and waits until the suite has observed that.
  private func replaceObserved(by text: String) throws {
    let observed = DispatchSemaphore(value: 0)
    let subscription = suite.sink { if $0.contains("foreign") { observed.signal() } }
    defer { subscription.cancel() }
    try Data(text.utf8).write(to: suite.url, options: .atomic)
    try #require(observed.wait(timeout: .now() + .seconds(60)) == .success)
  }

  /// Expects that the foreign file stays, and that the changes that it lacks are reported once.
  private func expectReplaced(_ failures: Recorder<AppGroupsFileError>, lost keys: [String]) async throws {
    #expect(suite.keys == ["foreign"])
    try await untilSettled()
    #expect(try fixture.text(of: suite.url) == #"{"foreign": 1}"#)
    #expect(suite.keys == ["foreign"])
    #expect(try suite.read().keys == ["foreign"])
    try await failures.first("the lost changes") { $0 == .changesReplaced(suite.url, keys: keys) }
    #expect(failures.elements.count == 1)
  }

  @Test
  func `a file that is replaced during an update wins, and the lost changes are reported`() async throws {
    let failures = suite.failures.recorded()
    try fill("b")
    try await onThread {
      try suite.update { contents in
        try contents.set(1, forKey: "c")
        try replaceObserved(by: #"{"foreign": 1}"#)
      }
    }
    // A look follows.
    try await onThread { suite.engine.queue.sync {} }
    try await expectReplaced(failures, lost: ["b", "c"])
  }

  @Test
  func `a file that is replaced while it is brought up to date wins, too`() async throws {
    let failures = suite.failures.recorded()
    try fill("b")
    whileStoring.set { try replaceObserved(by: #"{"foreign": 1}"#) }
    try await suite.synchronize()
    whileStoring.set(nil)
    try await expectReplaced(failures, lost: ["b"])
  }

  @Test
  func `a folder that is replaced by its own earlier copy is read anew`() async throws {
    try fill("b")
    try exchangeFolder {
      try append(1, forKey: "c")
    } then: {
      suite.engine.lookNow()
      #expect(suite.keys == ["a", "b"])
    }
  }

  @Test
  func `a change in a folder that is replaced by its own earlier copy is stored there`() async throws {
    try fill("b")
    try exchangeFolder {
      try append(1, forKey: "c")
    } then: {
      suite.engine.memory.withLock { $0.isTrustedUntil = .now }
      try suite.set(1, forKey: "d")
      #expect(try suite.read().keys == ["a", "b", "d"])
      #expect(suite.keys == ["a", "b", "d"])
    }
  }

  /// Replaces the folder by a copy from before a change, and acts before the suite can observe that.
  private func exchangeFolder(after change: () throws -> Void, then act: () throws -> Void) throws {
    let (copy, old) = (fixture.directory.url.appending(path: "copy"), fixture.directory.url.appending(path: "old"))
    try FileManager.default.copyItem(at: fixture.files, to: copy)
    try change()
    try suite.engine.queue.sync {
      try FileManager.default.moveItem(at: fixture.files, to: old)
      try FileManager.default.moveItem(at: copy, to: fixture.files)
      try act()
    }
  }

  @Test
  func `a failure to bring the file up to date is reported while changes go on, and the next attempt succeeds`()
    async throws
  {
    struct Refusal: Error {}
    let failures = suite.failures.recorded()
    let text = String(repeating: "x", count: 2_000)
    try await suite.set(text, forKey: "a")
    whileStoring.set { throw Refusal() }
    for number in 0..<20_000 where failures.elements.isEmpty { try append("\(number) \(text)", forKey: "b") }
    #expect(failures.elements.count == 1)
    whileStoring.set(nil)
    suite.engine.memory.withLock { $0.nextRewrite = nil }
    try append("the last", forKey: "b")
    #expect(try fixture.text(of: suite.url).contains("the last"))
  }
}

import Foundation
import Signals
import Testing

@testable import AppGroups

/// Tests of a suite whose changes stay in its journal until they are done with it.
protocol JournaledSuiteTests {
  var fixture: Fixture { get }
  var suite: AppGroupsSuite { get }
}

extension JournaledSuiteTests {
  var journal: URL { fixture.files.appending(path: ".shared/journals/suite.json") }
  var hasJournal: Bool { FileManager.default.fileExists(atPath: journal.path) }

  /// Sets a value in the journal, which stays until ``untilSettled()``, however slow the machine is.
  func append(_ value: some Codable & Sendable, forKey key: String) throws {
    suite.engine.memory.withLock { $0.lastChange = .now + .seconds(3_600) }
    suite.engine.settling.withLock { $0.waits = [true, false] }
    try suite.set(value, forKey: key)
    try #require(hasJournal)
  }

  /// Sets `a` to 1 in the file, and the others in the journal.
  func fill(_ keys: String...) throws {
    try suite.set(1, forKey: "a")
    for key in keys { try append(1, forKey: key) }
  }

  func untilSettled() async throws {
    suite.engine.settling.withLock { $0.waits = [] }
    for isOwn in [true, false] { suite.engine.settleLater(isOwn: isOwn) }
    while hasJournal { try await Task.sleep(for: .milliseconds(5)) }
  }
}

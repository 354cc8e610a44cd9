import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// A root that other processes switch again and again, always between two steps of this one.
@Suite("Patience with other processes", .patient)
struct PatienceTests {
  private let directory: TemporaryDirectory
  private let scope: Scope
  private let switches = Switches()

  /// Answers that the contents were switched, every other time.
  private final class Switches: ScopeOwner {
    private let state = Guarded((left: 0, asked: 0))

    /// The number of answers that are still to come.
    var left: Int {
      get { state.withLock { $0.left } }
      set { state.withLock { $0.left = newValue } }
    }

    var mark: FileStamp? { nil }
    var hasFollowed: Bool {
      state.withLock { state in
        guard state.left > 0 else { return true }
        state.left -= 1
        state.asked += 1
        return state.asked.isMultiple(of: 2)
      }
    }

    func keepsInPlace(_ path: String) -> Bool { false }
    func steadily<Result>(_ body: () throws -> Result) throws -> Result { try body() }
    func follow() {}
  }

  init() throws {
    directory = try TemporaryDirectory()
    scope = Scope(root: directory.url)
    scope.setOwner(switches)
  }

  @Test func `a database is read however often its directory is switched while a connection opens`() async throws {
    let database = try Database(.file(directory.file("list.sqlite")), scope: scope)
    _ = try await onThread { try database.write { try $0.execute("CREATE TABLE item (name TEXT)") } }
    for _ in 0..<3 {
      // The next read must open a connection.
      database.readers?.settle()
      let count = try await onThread { [switches] in
        switches.left = 401
        return try database.read { try $0.rows("SELECT count(*) FROM item").count }
      }
      #expect(count == 1 && switches.left == 0)
    }
  }

  @Test func `a write waits for the last of many switches`() throws {
    let file = try AppGroupsFile(name: "number.json", initialValue: 0, scope: scope)
    switches.left = 401
    try file.update { $0 += 1 }
    #expect(switches.left == 0)
    #expect(try file.read() == 1)
  }

  @Test func `patience ends with the limit of the directory`() throws {
    let container = try AppGroupsContainer(directory: directory.url)
    let file = try AppGroupsFile(name: "number.json", initialValue: 0, scope: scope)
    container.lockTimeout = .milliseconds(50)
    defer { container.lockTimeout = nil }
    switches.left = .max
    // The value is written, because nothing else can be known about the contents.
    try file.update { $0 += 1 }
    switches.left = 0
    #expect(try file.read() == 1)
  }
}

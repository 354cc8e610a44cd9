import AppGroups
import CLibrary
import Containers
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Copies of databases in use", .seeded, .patient)
struct DatabaseCopyTests {
  private let fixture: Fixture
  private let bank: RandomBank

  init() throws {
    fixture = try Fixture(filled: false)
    bank = RandomBank(fixture.url("bank.db"))
  }

  /// Sets the limit for locks in the root.
  private func limit(to duration: Duration) throws -> AppGroupsContainer {
    let container = try AppGroupsContainer(directory: fixture.root)
    container.lockTimeout = duration
    return container
  }

  /// Returns the problems of the database in an environment that is not active.
  private func problems(in copy: Environment) throws -> [String] {
    try RandomBank(fixture.data(copy).appending(path: "bank.db")).problems()
  }

  @Test(arguments: RandomBank.Mode.allCases)
  func `each clone and each import has rows that existed together, while a process writes`(
    mode: RandomBank.Mode
  ) async throws {
    try bank.create(mode)
    let app = try fixture.open()
    let peer = try PeerProcess()
    try await peer.send("bank-churn \(Chance.seed >> 1) \(bank.url.path)")
    let archive = fixture.directory.url.appending(path: "archive")
    let rounds = Scale.count(50, torture: 2000)
    let begun = try bank.moves()
    var done = (clones: 0, imports: 0, busy: 0)
    for round in 0..<rounds {
      do {
        let copy = try await onThread { [app] in try app.clone(app.active.value) }
        #expect(try problems(in: copy) == [], "\(mode), clone \(round)")
        try app.delete(copy)
        done.clones += 1
        _ = try await onThread { [app] in try app.export(app.active.value, to: archive) }
        let imported = try app.importEnvironment(from: archive)
        #expect(try problems(in: imported) == [], "\(mode), import \(round)")
        try app.delete(imported)
        done.imports += 1
      } catch AppContainerError.heldOpen {
        done.busy += 1
      }
    }
    try await peer.send("bank-stop")
    #expect(try bank.problems() == [])
    #expect(try bank.moves() > begun)
    #expect(done.clones > rounds / 2 && done.imports > rounds / 2, "\(done)")
  }

  @Test(arguments: RandomBank.Mode.allCases)
  func `a database that its last process left in the middle of a transaction is copied with its journal`(
    mode: RandomBank.Mode
  ) async throws {
    try bank.create(mode)
    let app = try fixture.open()
    for round in 0..<Scale.count(5, torture: 100) {
      let peer = try PeerProcess()
      try await peer.send("bank-churn \(round) \(bank.url.path)")
      let begun = try bank.moves()
      while try bank.moves() < begun + 200 { await Task.yield() }
      try await peer.kill()
      let copy = try app.clone(app.active.value)
      #expect(try problems(in: copy) == [], "\(mode), round \(round)")
      #expect(try RandomBank(fixture.data(copy).appending(path: "bank.db")).moves() >= begun + 200)
    }
  }

  @Test(arguments: [RandomBank.Mode.wal, .delete])
  func `the locks that this process holds in the root survive a clone and an export`(
    mode: RandomBank.Mode
  ) async throws {
    try bank.create(mode)
    try fixture.write("text", to: "plain.lock")
    let app = try fixture.open()
    let peer = try PeerProcess()
    let plain = open(fixture.url("plain.lock").path, O_RDWR | O_CLOEXEC)
    defer { close(plain) }
    #expect(RecordLock.acquire(plain))
    let writer = try RawDatabase(bank.url)
    try writer.run("BEGIN IMMEDIATE; UPDATE account SET amount = amount + 1 WHERE id = 1")

    func expectLocks(_ operation: Comment) async throws {
      #expect(try await peer.send("bank-write \(bank.url.path)") == "false", operation)
      #expect(try await peer.send("record-lock \(fixture.url("plain.lock").path)") == "false", operation)
    }
    try await expectLocks("before")
    let copy = try app.clone(app.active.value)
    try await expectLocks("after the clone")
    let archive = fixture.directory.url.appending(path: "archive")
    try app.export(app.active.value, to: archive)
    try await expectLocks("after the export")

    try writer.run("UPDATE account SET amount = amount - 1 WHERE id = 1; COMMIT")
    #expect(try await peer.send("bank-write \(bank.url.path)") == "true")
    for copy in [copy, try app.importEnvironment(from: archive)] {
      // The transaction was not committed.
      #expect(try problems(in: copy) == [])
      #expect(Tree.text(fixture.data(copy).appending(path: "plain.lock")) == "text")
      #expect(!Tree.exists(fixture.data(copy).appending(path: "bank.db-shm")))
    }
  }

  @Test func `a database that another process keeps locked is reported as busy, and nothing is left of the copy`()
    async throws
  {
    try bank.create(.delete)
    let app = try fixture.open()
    let container = try limit(to: .milliseconds(100))
    defer { container.lockTimeout = nil }
    let peer = try PeerProcess()
    try await peer.send("bank-exclude \(bank.url.path)")
    let archive = fixture.directory.url.appending(path: "archive")
    for copying in [{ _ = try app.clone(app.active.value) }, { _ = try app.export(app.active.value, to: archive) }] {
      let error = #expect(throws: AppContainerError.self) { try copying() }
      guard case .heldOpen(let reason) = error else {
        Issue.record("The error is unexpected: \(error?.description ?? "none")")
        continue
      }
      #expect(reason.contains(bank.url.path))
    }
    #expect(app.environments.value.count == 1 && !Tree.exists(archive))
    try await peer.send("bank-admit")
    #expect(try problems(in: app.clone(app.active.value)) == [])
  }

  @Test func `a file that is rewritten in place is copied as it was at one moment`() async throws {
    let url = fixture.url("text")
    let size = 400_000
    try Data(repeating: 0, count: size).write(to: url)
    let app = try fixture.open()
    let isGoingOn = Flag()
    // A program that never pauses leaves no moment for a copy, so each copy is disturbed by some changes only.
    let due = DispatchSemaphore(value: 0)
    let writing = Task {
      try await onThread {
        let number = open(url.path, O_WRONLY | O_CLOEXEC)
        defer { close(number) }
        var byte: UInt8 = 0
        while isGoingOn.isSet {
          byte = byte &+ 1
          let content = [UInt8](repeating: byte, count: size)
          _ = pwrite(number, content, size, 0)
          due.wait()
        }
      }
    }
    for _ in 0..<Scale.count(30, torture: 1000) {
      for _ in 0..<20 { due.signal() }
      let copy = try app.clone(app.active.value)
      let content = try Data(contentsOf: fixture.data(copy).appending(path: "text"))
      #expect(content.count == size && Set(content).count == 1)
      try app.delete(copy)
    }
    isGoingOn.clear()
    due.signal()
    try await writing.value
  }

  @Test func `a file that only grows is copied and exported up to a moment`() async throws {
    let url = fixture.url("protocol.txt")
    // Larger than what an archive takes at once.
    let start = Data(repeating: UInt8(ascii: "x"), count: 300_000)
    try start.write(to: url)
    let app = try fixture.open()
    let isGoingOn = Flag()
    let writing = Task {
      try await onThread {
        let number = open(url.path, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(number) }
        while isGoingOn.isSet { _ = write(number, "x", 1) }
      }
    }
    let archive = fixture.directory.url.appending(path: "archive")
    for _ in 0..<10 {
      let copy = try app.clone(app.active.value)
      try app.export(app.active.value, to: archive)
      for copy in [copy, try app.importEnvironment(from: archive)] {
        let content = try Data(contentsOf: fixture.data(copy).appending(path: "protocol.txt"))
        #expect(content.count >= start.count && Set(content) == [UInt8(ascii: "x")])
      }
    }
    isGoingOn.clear()
    try await writing.value
  }

  @Test func `files whose names only resemble those of a database's files are copied`() throws {
    for name in ["notes", "notes-wal", "notes-journal", "notes-shm", "empty", "empty-wal"] {
      try fixture.write(name.hasPrefix("empty") ? "" : name, to: name)
    }
    let app = try fixture.open()
    let copy = try app.clone(app.active.value)
    #expect(try fixture.listing(fixture.data(copy)) == fixture.live())
  }
}

/// A switch that another thread reads.
private final class Flag: Sendable {
  private let value = Guarded(true)

  var isSet: Bool { value.withLock { $0 } }

  func clear() { value.withLock { $0 = false } }
}

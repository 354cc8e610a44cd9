import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import AppGroups

@Suite("A sealed suite", .patient)
struct SealedSuiteTests: JournaledSuiteTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try Self.open(.test("1"), in: fixture)
  }

  private static func open(_ seal: FileSeal?, in fixture: Fixture) throws -> AppGroupsSuite {
    try AppGroupsSuite(
      name: "suite.json", container: fixture.container, seal: seal, options: .init(durability: .process))
  }

  private func open(_ seal: FileSeal?) throws -> AppGroupsSuite { try Self.open(seal, in: fixture) }

  /// All files of the container by path, with their bytes.
  private func files(in fixture: Fixture? = nil) throws -> [String: Data] {
    let fixture = fixture ?? self.fixture
    let root = fixture.container.containerURL
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    return try names.reduce(into: [:]) { files, name in
      let url = root.appending(path: name)
      if try FileStatus(path: url.path)?.kind == .regular { files[name] = try DurableFile.read(url) }
    }
  }

  private func expectHidden(_ words: String..., in fixture: Fixture? = nil) throws {
    let files = try files(in: fixture)
    #expect(files["Files/suite.json"] != nil)
    for word in words {
      for (name, bytes) in files { #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word) in \(name)") }
    }
  }

  /// Expects that every kind of change throws an error and leaves all files as they are.
  private func refuses(_ suite: AppGroupsSuite, _ error: AppGroupsFileError) throws {
    let before = try files()
    #expect(throws: error) { try suite.set(9, forKey: "lost") }
    #expect(throws: error) { try suite.removeValue(forKey: "a") }
    #expect(throws: error) { try suite.update(overwriting: true) { try $0.set(9, forKey: "lost") } }
    #expect(throws: error) { try suite.write(SuiteContents(url: suite.url, isSealed: true)) }
    #expect(throws: error) { try suite.removeAll() }
    #expect(throws: error) { try suite.read() }
    #expect(throws: error) { try suite.synchronize() }
    #expect(try files() == before)
    #expect(suite.status.value.failure == error)
  }

  @Test
  func `neither keys nor values are in any file, in the journal or after it`() async throws {
    try await suite.set("the first value", forKey: "password")
    try append("a confidential value", forKey: "password")
    try append("another value", forKey: "passphrase")
    try expectHidden("pass", "confidential", "another", "first")
    #expect(hasJournal)
    let other = try open(.test("1"))
    #expect(try other.value(forKey: "password", as: String.self) == "a confidential value")
    #expect(other.keys == ["passphrase", "password"])
    try await untilSettled()
    try expectHidden("pass", "confidential", "another", "first")
    #expect(try open(.test("1")).keys == ["passphrase", "password"])
    try await suite.removeValue(forKey: "password")
    try await other.firstValue { $0.keys == ["passphrase"] }
    try expectHidden("pass", "confidential", "another")
  }

  @Test
  func `processes that share it lose no change, and each follows the others`() async throws {
    let count = Scale.count(100, torture: 2_000)
    let peers = try [PeerProcess(), PeerProcess()]
    for peer in peers { try await peer.send("suite-sealed \(fixture.path) suite.json") }
    try await peers[0].send("suite-observe word")
    let counter = suite.preference("counter", default: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers { group.addTask { try await peer.send("suite-increment counter \(count)") } }
      for _ in 0..<count { try await counter.update { $0 += 1 } }
      try await group.waitForAll()
    }
    #expect(try await suite.preference("counter", default: 0).firstValue { $0 == 3 * count } == 3 * count)
    try await suite.set("confidential", forKey: "word")
    try await peers[0].events.first("the word") { $0 == "word confidential" }
    try expectHidden("counter", "confidential")
  }

  @Test
  func `changes of a process that was killed are read and brought into the file`() async throws {
    let peer = try PeerProcess()
    try await peer.send("suite-sealed \(fixture.path) suite.json")
    try await peer.send("suite-fill password 50")
    try await peer.kill()
    #expect(try suite.read().keys.count == 50)
    try await suite.synchronize()
    #expect(!hasJournal)
    #expect(try open(.test("1")).keys.count == 50)
    try expectHidden("password")
  }

  @Test(arguments: [false, true])
  func `a wrong or unknown key is an error of its own, and no change replaces the file`(isWrong: Bool) throws {
    try fill("b")
    let other = try open(isWrong ? .test("1", wrong: true) : .test("2", adoptsPlain: true))
    #expect(other.keys.isEmpty)
    try refuses(
      other, isWrong ? .unopenable(suite.url, key: "1", reason: "Forged()") : .unknownKey(suite.url, key: "1"))
    try refuses(open(nil), .unknownKey(suite.url, key: "1"))
    #expect(try suite.read().keys == ["a", "b"])
  }

  @Test
  func `a change that was sealed with a newer key is kept by those that do not have that key`() async throws {
    let new = try open(.test("2", "1"))
    new.engine.settling.withLock { $0.waits = [true, false] }
    try fill("b")
    try await new.firstValue { $0.keys == ["a", "b"] }
    try await new.set(2, forKey: "c")
    try #require(hasJournal)
    let error = AppGroupsFileError.unknownKey(suite.url, key: "2")
    try await suite.status.firstValue { $0.failure == error }
    #expect(suite.keys == ["a", "b"], "the last good contents stay")
    try refuses(suite, error)
    try await new.synchronize()
    #expect(FileSeal.key(of: try DurableFile.read(suite.url)) == "2")
    #expect(try open(.test("2")).keys == ["a", "b", "c"])
    try refuses(suite, error)
  }

  @Test
  func `the next write seals with the newest key, even if it changes nothing`() throws {
    try suite.set(1, forKey: "a")
    try suite.synchronize()
    let new = try open(.test("2", "1"))
    let changes = new.changes.map(\.keys).recorded()
    try new.set(1, forKey: "a")
    #expect(FileSeal.key(of: try DurableFile.read(suite.url)) == "2")
    let bytes = try DurableFile.read(suite.url)
    try new.set(1, forKey: "a")
    #expect(try DurableFile.read(suite.url) == bytes)
    #expect(changes.elements.isEmpty)
  }

  @Test
  func `a plain suite is adopted together with its journal`() throws {
    let fixture = try Fixture()
    let plain = try Self.open(nil, in: fixture)
    plain.engine.settling.withLock { $0.waits = [true, false] }
    plain.engine.memory.withLock { $0.lastChange = .now + .seconds(3_600) }
    try plain.set("number one", forKey: "first")
    #expect(try fixture.contents(of: fixture.files.appending(path: ".shared/journals")) == ["suite.json"])
    let adopting = try Self.open(.test("1", adoptsPlain: true), in: fixture)
    #expect(adopting.keys == ["first"])
    adopting.engine.settling.withLock { $0.waits = [true, false] }
    try adopting.set("number two", forKey: "second")
    #expect(try Self.open(.test("1", adoptsPlain: true), in: fixture).keys == ["first", "second"])
    try adopting.synchronize()
    try expectHidden("first", "second", "number", in: fixture)
    #expect(try Self.open(.test("1"), in: fixture).keys == ["first", "second"])
  }

  @Test
  func `a record that is not sealed does not count`() throws {
    try fill("b")
    let mark = try #require(suite.engine.memory.withLock { $0.mark })
    let record = SuiteOverlay.record(of: [
      ExactString("c"): try SuiteEntry.encoding(1, for: ExactString("c"))
    ])
    var bytes = Data(count: LogRecord.size(of: record))
    bytes.withUnsafeMutableBytes {
      LogRecord.write(record, sequence: mark.sequence + 1, time: 0, salt: mark.journal.header.salt, to: $0)
    }
    let handle = try FileHandle(forWritingTo: journal)
    try handle.seekToEnd()
    try handle.write(contentsOf: bytes)
    try handle.close()
    #expect(try suite.read().keys == ["a", "b"])
    #expect(try open(.test("1")).keys == ["a", "b"])
  }

  @Test
  func `no error quotes a value`() throws {
    try suite.set("hunter2", forKey: "word")
    let failures = suite.failures.recorded()
    let signal = suite.signal(forKey: "word", as: Int.self).recorded()
    let error = try #require(
      #expect(throws: AppGroupsFileError.self) { try suite.value(forKey: "word", as: Int.self) })
    let inner = try #require(
      #expect(throws: AppGroupsFileError.self) { try suite.value.value(forKey: "word", as: Int.self) })
    let value = suite.preference("word", default: 0)
    for text in [error, inner, value.status.value.failure].compactMap({ $0?.description })
      + failures.elements.map(\.description)
    {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("another type"))
    }
    #expect(!failures.elements.isEmpty)
    #expect(signal.elements == [nil])
  }

  @Test
  func `a suite of a root is sealed in all contents`() throws {
    let directory = try TemporaryDirectory()
    let scoped = try AppGroupsSuite(name: "scoped.json", scope: Scope(root: directory.url), seal: .test("1"))
    try scoped.set("confidential", forKey: "word")
    #expect(FileSeal.key(of: try DurableFile.read(scoped.url)) == "1")
    #expect(try AppGroupsSuite(url: scoped.url, seal: .test("1")).keys == ["word"])
  }
}

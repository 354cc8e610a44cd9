import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import AppGroups

extension FileSeal {
  /// A seal of tests, with the names of its keys; the newest comes first.
  static func test(_ keys: String..., wrong: Bool = false, adoptsPlain: Bool = false) -> FileSeal {
    let older = Dictionary(uniqueKeysWithValues: keys.dropFirst().map { ($0, "key \($0)") })
    return FileSeal(
      keys[0], key: wrong ? "wrong" : "key \(keys[0])", older: older, adoptsPlain: adoptsPlain,
      seal: TestCipher.seal, open: TestCipher.open)
  }
}

@Suite("A sealed file")
struct SealedFileTests {
  let fixture: Fixture
  let url: URL

  init() throws {
    fixture = try Fixture()
    url = fixture.url("note")
  }

  private func open(_ seal: FileSeal, _ initial: Note = Note()) throws -> AppGroupsFile<Note> {
    try AppGroupsFile(
      name: "note", initialValue: initial, container: fixture.container, format: .json.sealed(by: seal))
  }

  private func bytes() throws -> Data { try DurableFile.read(url) }

  /// Returns the file after an attempt at every kind of write, each of which must throw an error.
  private func refused(by file: AppGroupsFile<Note>, _ error: AppGroupsFileError) async throws {
    let before = try bytes()
    #expect(throws: error) { try file.write(Note(count: 9, text: "lost")) }
    #expect(throws: error) { try file.update { $0.count = 9 } }
    #expect(throws: error) { try file.update(overwriting: true) { $0.count = 9 } }
    await #expect(throws: error) { try await file.write(Note(count: 9, text: "lost")) }
    await #expect(throws: error) { try await file.update(overwriting: true) { $0.count = 9 } }
    #expect(throws: error) { try file.read() }
    #expect(try bytes() == before)
    #expect(file.status.value.failure == error)
    #expect(try fixture.contents(of: fixture.files) == [".shared", "note"])
  }

  @Test
  func `the content is read and followed by all that have the key, and nobody else can read it`() async throws {
    let file = try open(.test("1"), Note(count: 1, text: "in the beginning"))
    let other = try open(.test("1"))
    #expect(other.value == Note(count: 1, text: "in the beginning"))
    try await file.write(Note(count: 2, text: "a confidential note"))
    try await other.firstValue { $0.count == 2 }
    try await other.update { $0.count += 1 }
    try await file.firstValue { $0 == Note(count: 3, text: "a confidential note") }
    #expect(try bytes().prefix(11) == Data("SIGSEA01\u{0}\u{1}1".utf8))
    for word in ["confidential", "count", "text"] { #expect(try bytes().range(of: Data(word.utf8)) == nil) }
  }

  @Test
  func `the same value is no change, and different files with the same value have different bytes`() throws {
    let format = FileFormat<Note>.json.sealed(by: .test("1"))
    let files = try ["note", "other"].map {
      try AppGroupsFile(
        name: $0, initialValue: Note(count: 1, text: "same"), container: fixture.container, format: format)
    }
    let values = files[0].recorded()
    let before = try bytes()
    try files[0].write(Note(count: 1, text: "same"))
    try files[0].update { _ in }
    #expect(try bytes() == before)
    #expect(values.elements.count == 1)
    #expect(try DurableFile.read(files[1].url) != before)
  }

  @Test
  func `a wrong key is an error of its own, and no write replaces the file`() async throws {
    try await open(.test("1")).write(Note(count: 1, text: "kept"))
    let error = AppGroupsFileError.unopenable(url, key: "1", reason: "Forged()")
    try await refused(by: open(.test("1", wrong: true)), error)
    #expect(error.description.contains(#"the key "1""#))
    #expect(try open(.test("1")).value.text == "kept")
  }

  @Test
  func `an unknown key is an error of its own, and no write replaces the file`() async throws {
    try await open(.test("1")).write(Note(count: 1, text: "kept"))
    let error = AppGroupsFileError.unknownKey(url, key: "1")
    try await refused(by: open(.test("2", adoptsPlain: true)), error)
    #expect(error.description.contains(#"the key "1""#))
    #expect(try open(.test("2", "1")).value.text == "kept")
  }

  @Test
  func `a program without the seal does not replace the file either`() async throws {
    let plain = try AppGroupsFile(name: "note", initialValue: Note(), container: fixture.container)
    try await open(.test("1", adoptsPlain: true)).write(Note(count: 1, text: "kept"))
    try await plain.status.firstValue { $0.failure != nil }
    try await refused(by: plain, .unknownKey(url, key: "1"))
  }

  @Test
  func `an older key opens, and the next write seals with the newest one, even if it changes nothing`() async throws {
    let old = try open(.test("1"), Note(count: 1, text: "old"))
    let new = try open(.test("2", "1"))
    #expect(new.value == Note(count: 1, text: "old"))
    #expect(FileSeal.key(of: try bytes()) == "1")
    try await new.update { _ in }
    #expect(FileSeal.key(of: try bytes()) == "2")
    #expect(try open(.test("3", "2")).value == Note(count: 1, text: "old"))
    try await old.status.firstValue { $0.failure == .unknownKey(url, key: "2") }
    #expect(old.value == Note(count: 1, text: "old"), "the last good value stays")
    try await refused(by: old, .unknownKey(url, key: "2"))
  }

  @Test
  func `plain content is read only if that is asked for, and is sealed by the next write`() throws {
    try fixture.note("note").write(Note(count: 1, text: "plain"))
    let strict = try open(.test("1"))
    guard case .undecodable(_, let reason) = strict.status.value.failure else {
      Issue.record("\(strict.status.value)")
      return
    }
    #expect(reason.contains("not sealed"))
    let adopting = try open(.test("1", adoptsPlain: true))
    #expect(adopting.value.text == "plain")
    #expect(FileSeal.key(of: try bytes()) == nil)
    try adopting.write(Note(count: 1, text: "plain"))
    #expect(FileSeal.key(of: try bytes()) == "1")
    #expect(try open(.test("1")).value.text == "plain")
  }

  @Test
  func `every changed byte is noticed, and only a file without a header counts as damaged`() throws {
    let file = try open(.test("1"), Note(count: 1, text: "whole"))
    let whole = try bytes()
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1
      try changed.write(to: url)
      let error = try #require(#expect(throws: AppGroupsFileError.self) { try file.read() })
      switch error {
      case .undecodable: #expect(index < 8)
      case .unknownKey: #expect((9...10).contains(index))
      case .unopenable: #expect(index == 8 || index > 10)
      default: Issue.record("\(error)")
      }
    }
    try whole.prefix(10).write(to: url)
    #expect { try file.read() } throws: { if case .undecodable? = $0 as? AppGroupsFileError { true } else { false } }
    try file.write(Note(count: 2, text: "repaired"))
    #expect(try open(.test("1")).value.count == 2)
  }

  @Test
  func `a file that a program is still copying is given time, and an empty one is replaced`() async throws {
    let file = try open(.test("1"), Note(count: 1, text: "whole"))
    let failures = file.failures.recorded()
    let whole = try bytes()
    let handle = try FileHandle(forWritingTo: url)
    try handle.truncate(atOffset: UInt64(whole.count - 3))
    try handle.seekToEnd()
    try handle.write(contentsOf: whole.suffix(3))
    try handle.close()
    try await file.update { $0.count += 1 }
    #expect(failures.elements.isEmpty)
    try Data().write(to: url)
    try await file.write(Note(count: 3, text: "new"))
    #expect(try open(.test("1")).value.count == 3)
  }

  @Test
  func `versions are sealed together with the value`() throws {
    struct Old: Codable, Sendable { var number: Int }
    let old = FileFormat.versioned(FileVersions(Old.self)).sealed(by: .test("1"))
    let new = FileFormat.versioned(FileVersions(Old.self).migrating(to: Note.self) { Note(count: $0.number, text: "") })
      .sealed(by: .test("1"))
    #expect(try new.decode(old.encode(Old(number: 7))).count == 7)
    #expect(throws: FileVersionError.newer(found: 2, supported: 1)) { try old.decode(new.encode(Note())) }
  }

  @Test
  func `no error quotes the opened content, and a seal that cannot open its own output is noticed`() throws {
    try AppGroupsFile(
      name: "note", initialValue: ["password": "hunter2"], container: fixture.container,
      format: .json.sealed(by: .test("1"))
    ).write(["password": "hunter3"])
    let numbers = try AppGroupsFile(
      name: "note", initialValue: ["": 0], container: fixture.container, format: .json.sealed(by: .test("1")))
    let error = try #require(numbers.status.value.failure)
    #expect(error.description.contains("Dictionary<String, Int>"))
    #expect(!error.description.contains("hunter") && !error.description.contains("password"))

    let broken = FileSeal("1", key: 1) { plain, _, _ in
      Data(plain.reversed())
    } open: { _, _, _ in
      throw CocoaError(.coderInvalidValue)
    }
    #expect {
      try AppGroupsFile(
        name: "broken", initialValue: 1, container: fixture.container, format: .json.sealed(by: broken))
    } throws: {
      if case .unencodable? = $0 as? AppGroupsFileError { true } else { false }
    }
    let long = String(repeating: "x", count: 256)
    #expect(throws: (any Error).self) {
      try FileFormat<Note>.json.sealed(by: .test(long)).encode(Note())
    }
  }

  @Test
  func `a sealed file that is too large to be read is not replaced`() throws {
    try open(.test("1")).write(Note(count: 1, text: String(repeating: "x", count: 500)))
    let before = try bytes()
    let small = try AppGroupsFile(
      name: "note", initialValue: Note(), container: fixture.container, format: .json.sealed(by: .test("2")),
      options: .init(maximumSize: 100))
    #expect(throws: AppGroupsFileError.self) { try small.write(Note()) }
    #expect(throws: AppGroupsFileError.self) { try small.update(overwriting: true) { $0.count = 9 } }
    #expect(try bytes() == before)
  }

  @Test
  func `the events of a log are sealed, too`() async throws {
    let log = try AppGroupsLog<String>(
      name: "inbox", container: fixture.container, format: .json.sealed(by: .test("1")))
    try log.append(contentsOf: ["a confidential event", "a confidential event"])
    let reader = try AppGroupsLog<String>(
      name: "inbox", container: fixture.container, format: .json.sealed(by: .test("2", "1")))
    #expect(try reader.entries().map { try $0.get().event } == ["a confidential event", "a confidential event"])
    let folder = fixture.container.containerURL.appending(path: "Logs/inbox")
    for name in try fixture.contents(of: folder) where name.hasSuffix(".segment") {
      let bytes = try DurableFile.read(folder.appending(path: name))
      #expect(bytes.range(of: Data("confidential".utf8)) == nil)
      #expect(bytes.suffix(16) != bytes.dropLast((bytes.count - 48) / 2).suffix(16), "equal events look different")
    }
  }
}

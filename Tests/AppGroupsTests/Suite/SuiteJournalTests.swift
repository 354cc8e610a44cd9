import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@testable import AppGroups

@Suite("A suite that changes in quick succession", .patient, .eachKernel)
struct SuiteJournalTests: JournaledSuiteTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  @Test
  func `the changes are appended, and soon the file contains them again and nothing is left beside it`() async throws {
    try fill("b", "c")
    #expect(try fixture.text(of: suite.url) == "{\n  \"a\" : 1\n}\n")
    for suite in [suite, try fixture.suite()] { #expect(suite.keys == ["a", "b", "c"]) }
    #expect(try suite.read().keys == ["a", "b", "c"])
    try await untilSettled()
    #expect(try fixture.text(of: suite.url) == "{\n  \"a\" : 1,\n  \"b\" : 1,\n  \"c\" : 1\n}\n")
    #expect(try fixture.contents(of: fixture.files.appending(path: ".shared")) == ["journals", "suite.json.lock"])
    #expect(suite.keys == ["a", "b", "c"])
  }

  @Test
  func `the file is up to date at once if that is requested, or the whole content is replaced`() throws {
    try fill("b")
    try suite.synchronize()
    #expect(!hasJournal)
    #expect(try fixture.text(of: suite.url).contains("\"b\""))
    try append(2, forKey: "c")
    try suite.removeAll()
    #expect(!hasJournal)
    #expect(try fixture.text(of: suite.url) == "{}\n")
    #expect(try fixture.suite().keys.isEmpty)
  }

  @Test
  func `each change is sent once, in order, to observers of this process and of another`() async throws {
    let peer = try await fixture.suitePeer()
    try await peer.send("suite-observe number")
    try await peer.send("suite-changes")
    let key = SuiteKey("number", default: 0)
    let numbers = suite.property.map { (try? $0.value(for: key)) ?? -1 }.recorded()
    let changes = suite.changes.map(\.keys).recorded()
    for number in 1...100 { try await suite.set(number, forKey: "number") }
    try await suite.synchronize()
    for number in 101...200 { try await suite.set(number, forKey: "number") }
    try await suite.set("last", forKey: "other")
    #expect(numbers.elements == Array(0...200) + [200])
    #expect(changes.elements == Array(repeating: ["number"], count: 200) + [["other"]])
    try await peer.events.first("the last") { $0.hasPrefix("changes") && $0.contains("other") }
    let sent = peer.events.elements.filter { $0.hasPrefix("changes") }
    #expect(sent.allSatisfy { ["changes number", "changes other", "changes number,other"].contains($0) })
    try await untilSettled()
    #expect(changes.elements.count == 201, "bringing the file up to date is no change")
  }

  @Test
  func `a journal that has become longer than the file is brought into it while changes go on`() throws {
    try fill("b")
    let value = String(repeating: "x", count: 3_000)
    for number in 0..<60 { try append(value + "\(number)", forKey: "large") }
    #expect(try fixture.text(of: suite.url).contains(value))
    let size = try #require(try FileStatus(path: journal.path)?.size)
    #expect(size < 8 * 65_536 + 4_000, "\(size)")
    #expect(try fixture.suite().value(forKey: "large", as: String.self) == value + "59")
  }

  @Test
  func `a large file is left alone even by a single change`() throws {
    try suite.set(String(repeating: "x", count: 20_000), forKey: "large")
    try suite.synchronize()
    let before = try fixture.text(of: suite.url)
    let other = try fixture.suite()
    other.engine.settling.withLock { $0.waits = [true, false] }
    try other.set(1, forKey: "small")
    #expect(hasJournal)
    #expect(try fixture.text(of: suite.url) == before)
    #expect(try suite.read().contains("small"))
  }

  @Test
  func `a change without effect appends nothing`() throws {
    try fill("b")
    let size = try #require(try FileStatus(path: journal.path)?.size)
    try suite.set(1, forKey: "b")
    try suite.removeValue(forKey: "none")
    try suite.update { contents in
      contents.removeValue(forKey: "a")
      try contents.set(1, forKey: "a")
    }
    #expect(try FileStatus(path: journal.path)?.size == size)
  }

  @Test
  func `an observer creates nothing, so that the directory can be removed`() async throws {
    try fill("b")
    try await suite.synchronize()
    let shared = fixture.files.appending(path: ".shared")
    try FileManager.default.removeItem(at: shared)
    try fixture.overwrite("suite.json", with: #"{"c": 1}"#)
    try await suite.firstValue("the new content") { $0.keys == ["c"] }
    suite.engine.queue.sync { suite.engine.lookNow() }
    #expect(!FileManager.default.fileExists(atPath: shared.path))
    try append(2, forKey: "c")
    #expect(try fixture.suite().value(forKey: "c", as: Int.self) == 2)
  }

  // MARK: Other programs

  @Test
  func `a file that another program has replaced wins, and the changes that it lacks are reported`() async throws {
    let failures = suite.failures.recorded()
    try fill("b", "c")
    try fixture.overwrite("suite.json", with: #"{"a": 2, "c": 1}"#)
    try await suite.firstValue("the new content") { $0.keys == ["a", "c"] }
    try await untilSettled()
    try await failures.first("the lost change") { $0 == .changesReplaced(suite.url, keys: ["b"]) }
    #expect(try fixture.text(of: suite.url) == #"{"a": 2, "c": 1}"#)
    #expect(try suite.read().keys == ["a", "c"])
    #expect(failures.elements.count == 1)
  }

  @Test
  func `a program of the previous format that changes the file with the lock wins, too`() async throws {
    let failures = suite.failures.recorded()
    try fill("b")
    let url = suite.url
    try await onThread {
      let file = try ExclusiveFile(locking: url)
      try file.prepare(Data(#"{"a": 1, "d": 4}"#.utf8), durability: .process).commit()
      file.unlock()
    }
    try await suite.firstValue("the new content") { $0.keys == ["a", "d"] }
    try await suite.set(5, forKey: "e")
    try await failures.first("the lost change") { $0 == .changesReplaced(suite.url, keys: ["b"]) }
    #expect(try suite.read().keys == ["a", "d", "e"])
  }

  @Test
  func `a file that was removed and created again does not get old changes back`() async throws {
    // The journal continues an empty suite.
    try append(1, forKey: "a")
    try FileManager.default.removeItem(at: suite.url)
    let other = try fixture.suite()
    #expect(other.keys.isEmpty)
    #expect(try fixture.suite().keys.isEmpty)
    try await suite.firstValue { $0.keys.isEmpty }
  }

  @Test
  func `a suite that may be read but not changed is read with its journal`() async throws {
    try fill("b")
    let journal = try Data(contentsOf: journal)
    let shared = fixture.files.appending(path: ".shared")
    let copy = try Fixture()
    try FileManager.default.createDirectory(
      at: copy.files.appending(path: ".shared/journals"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: suite.url, to: copy.url("suite.json"))
    try journal.write(to: copy.files.appending(path: ".shared/journals/suite.json"))
    #expect(FileManager.default.fileExists(atPath: shared.path))
    let names = try AppGroupsSuite(url: copy.url("suite.json")).keys
    #expect(names == ["a", "b"])
  }

  // MARK: Random programs

  @Test
  func `several suites of one file agree with a dictionary, whatever is done to them`() async throws {
    await runRandomPrograms(seconds: 2, repetitions: 1) { seed in
      do {
        return try await run(seed)
      } catch {
        Issue.record("SIGNALS_SEED=\(seed): \(error)")
        return false
      }
    }
  }

  private func run(_ seed: UInt64) async throws -> Bool {
    var chance = Chance(seed: seed)
    let fixture = try Fixture()
    var suites = try (0..<3).map { _ in try fixture.suite() }
    let failures = suites.map { $0.failures.recorded() }
    var model: [String: String] = [:]
    var history: [String] = []
    for step in 0..<60 {
      let suite = suites[chance.number(below: suites.count)]
      let key = "key \(chance.number(below: 12))"
      let value = String(repeating: "v", count: chance.once(in: 6) ? 3_000 : 3) + "\(chance.number(below: 4))"
      let action = chance.number(below: 16)
      history.append("\(action) \(key)")
      switch action {
      case 0...7:
        try await suite.set(value, forKey: key)
        model[key] = value
      case 8:
        try await suite.removeValue(forKey: key)
        model[key] = nil
      case 9:
        try await suite.update { contents in
          contents.removeValue(forKey: key)
          try contents.set("both", forKey: "first")
          try contents.set("both", forKey: "second")
        }
        model[key] = nil
        (model["first"], model["second"]) = ("both", "both")
      case 10:
        try await suite.synchronize()
        let content = try JSONDecoder().decode([String: String].self, from: DurableFile.read(suite.url))
        guard content == model else { throw Failure("the file is not up to date after \(history)") }
      case 11 where chance.once(in: 3):
        try await suite.removeAll()
        model = [:]
      case 12:
        let old = suite.value
        try await suite.set("other", forKey: key)
        try await suite.write(old)
      case 13:
        try await suite.synchronize()
        model[key] = "foreign"
        try JSONEncoder().encode(model).write(to: suite.url)
      case 14:
        suites[chance.number(below: suites.count)] = try fixture.suite()
      default:
        try await suite.update { contents in
          for number in 0..<20 { try contents.set("\(number)", forKey: "many \(number)") }
        }
        for number in 0..<20 { model["many \(number)"] = "\(number)" }
      }
      let expected = model
      for (index, suite) in suites.enumerated() {
        let read = try values(suite.read())
        guard read == model else { throw Failure("step \(step): \(index) reads another content after \(history)") }
        try await suite.firstValue("the content, SIGNALS_SEED=\(seed)") {
          (try? values($0)) == expected
        }
      }
    }
    guard failures.allSatisfy(\.elements.isEmpty) else { throw Failure("\(failures.map(\.elements))") }
    return true
  }

  private func values(_ contents: SuiteContents) throws -> [String: String] {
    var values: [String: String] = [:]
    for key in contents.keys { values[key] = try contents.value(forKey: key, as: String.self) }
    return values
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }
}

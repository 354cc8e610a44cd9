import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import AppGroups

@Suite("Who made a version", .patient)
struct ProvenanceTests: JournaledSuiteTests {
  let fixture: Fixture
  let suite: AppGroupsSuite

  init() throws {
    fixture = try Fixture()
    suite = try fixture.suite()
  }

  private var lock: URL { fixture.files.appending(path: ".shared/note.json.lock") }

  @Test func `a version of another process carries its number, name and start, the cause and the time`() async throws {
    let file = try fixture.note()
    let peer = try await fixture.peer()
    try await peer.send("open note.json")
    let before = Date()
    try await peer.send("because nightly-import write note.json one")
    try await file.firstValue("the note") { $0.text == "one" }
    let provenance = try #require(file.provenance)
    #expect(provenance.processIdentifier == peer.identifier && provenance.processName == "Peer")
    #expect(provenance.cause == "nightly-import" && !provenance.isThisProcess)
    #expect((before...Date()).contains(provenance.date))
    #if os(Linux)
      #expect(try #require(provenance.processStart) < provenance.date)
    #endif
    #expect(provenance.description == "Peer (process \(peer.identifier)): nightly-import")
    try await peer.send("write note.json two")
    try await file.firstValue("the note") { $0.text == "two" }
    #expect(file.provenance?.cause == nil && file.provenance?.processIdentifier == peer.identifier)
  }

  @Test func `a version of this process carries the cause of the task, also of asynchronous writes`() async throws {
    let file = try fixture.note()
    #expect(try #require(file.provenance).isThisProcess, "of the process that created it")
    try Cause.withValue("menu") { try file.write(Note(count: 1, text: "one")) }
    #expect(file.provenance?.cause == "menu" && file.provenance?.isThisProcess == true)
    try await Cause.withValue("sync") {
      try await file.write(Note(count: 2, text: "two"))
      try await Task { _ = try await file.update { $0.count += 1 } }.value
    }
    #expect(file.provenance?.cause == "sync" && file.value.count == 3)
    try await file.update { $0.count += 1 }
    #expect(file.provenance?.cause == nil && file.provenance?.isThisProcess == true)
  }

  @Test func `subscribers find who made the value that they receive`() async throws {
    let file = try fixture.note()
    let found = Guarded<[String]>([])
    let subscription = file.dropFirst().sink { [file] note in
      found.withLock { $0.append("\(note.text) \(file.provenance?.cause ?? "?")") }
    }
    for text in ["one", "two", "three"] {
      try Cause.withValue("cause of \(text)") { try file.write(Note(count: 1, text: text)) }
    }
    #expect(found.withLock { $0 } == ["one", "two", "three"].map { "\($0) cause of \($0)" })
    subscription.cancel()
  }

  @Test(arguments: [ForeignWriter.move, .editor, .sed, .inPlace, .foundation, .copy])
  func `a version of a program without this package has no author`(writer: ForeignWriter) async throws {
    let file = try fixture.note()
    try await file.write(Note(count: 1, text: "ours"))
    try await writer.write(noteText(2, "theirs"), to: file.url)
    try await file.firstValue("the note") { $0.count == 2 }
    #expect(file.provenance == nil)
    try await file.write(Note(count: 3, text: "ours"))
    #expect(file.provenance?.isThisProcess == true)
  }

  @Test func `a version keeps its author if a later writer is killed before its own is in place`() throws {
    let file = try fixture.note()
    try Cause.withValue("kept") { try file.write(Note(count: 1, text: "ours")) }
    let locked = try ExclusiveFile(locking: file.url)
    let never = try locked.prepare(Data("never".utf8), durability: .process)
    // As the next writer does before the rename.
    for number in 0..<2 {
      locked.note(.current, VersionMark(revision: number), limit: .max)
    }
    never.discard()
    locked.unlock()
    #expect(file.provenance?.cause == "kept")
  }

  @Test func `long names and causes are cut between characters, and damaged records are ignored`() throws {
    let file = try fixture.note()
    try Cause.withValue(String(repeating: "👩‍🚀é", count: 40)) { try file.write(Note(count: 1, text: "one")) }
    let cause = try #require(file.provenance?.cause)
    #expect(cause.utf8.count <= 80 && cause.utf8.count > 70 && cause.hasPrefix("👩‍🚀é"))
    #expect(!cause.contains("\u{FFFD}"))
    var bytes = [UInt8](try Data(contentsOf: lock))
    #expect(bytes.count <= 128 + 4 * 176)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let index = Int.random(in: 128..<bytes.count, using: &random)
      let old = bytes[index]
      bytes[index] = UInt8.random(in: 0...255, using: &random)
      try Data(bytes).write(to: lock)
      let found = file.provenance
      #expect(found == nil || found?.cause == cause)
      bytes[index] = old
    }
    try Data(bytes.prefix(200)).write(to: lock)
    #expect(file.provenance == nil)
  }

  @Test func `a process that may write no file still writes nothing, and is not killed`() throws {
    let file = try fixture.note()
    try file.write(Note(count: 1, text: "ours"))
    let locked = try ExclusiveFile(locking: file.url)
    let before = try Data(contentsOf: lock)
    locked.note(.current, VersionMark(revision: 1), limit: 100)
    locked.unlock()
    #expect(try Data(contentsOf: lock) == before)
  }

  @Test func `of two processes that write at once, each version is of the one that wrote it`() async throws {
    let file = try fixture.note()
    let peer = try await fixture.peer()
    try await peer.send("open note.json")
    for round in 1...Scale.count(20, torture: 500) {
      async let theirs: Void = { _ = try await peer.send("write note.json theirs") }()
      try Cause.withValue("ours \(round)") {
        try file.update { $0 = Note(count: $0.count + 1, text: "ours") }
      }
      try await theirs
      let note = try await file.firstValue("round \(round)") { [file] in (try? file.read()) == $0 }
      let provenance = try #require(file.provenance)
      #expect(provenance.isThisProcess == (note.text == "ours"))
    }
  }

  // MARK: Suites

  @Test func `a suite's version has an author in the journal, in the file, and after another has settled it`()
    async throws
  {
    try Cause.withValue("first") { try suite.set(1, forKey: "a") }
    #expect(suite.provenance?.cause == "first")
    try Cause.withValue("second") { try append(2, forKey: "b") }
    #expect(suite.provenance?.cause == "second")
    let peer = try await fixture.suitePeer()
    try await peer.send("suite-synchronize")
    #expect(!hasJournal)
    let other = try fixture.suite()
    #expect(other.provenance?.cause == "second" && other.provenance?.isThisProcess == true)
    try await peer.send("because tool suite-set c three")
    try await suite.firstValue("the change") { $0.keys.contains("c") }
    #expect(suite.provenance?.cause == "tool" && suite.provenance?.processIdentifier == peer.identifier)
  }

  @Test func `the changes of a suite say who made them`() async throws {
    let found = suite.changes.recorded()
    try Cause.withValue("here") { try append(1, forKey: "a") }
    let peer = try await fixture.suitePeer()
    try await peer.send("because there suite-set b two")
    let changes = try await found.wait { $0.count >= 2 }
    #expect(changes.map(\.keys) == [["a"], ["b"]])
    #expect(changes.map { $0.provenance?.cause } == ["here", "there"])
    #expect(changes.last?.provenance?.processIdentifier == peer.identifier)
  }
}

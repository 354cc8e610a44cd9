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
    for _ in 0..<2 { try beginWriting(file) }
    #expect(file.provenance?.cause == "kept")
  }

  @Test func `a version of another process keeps its author while the next one is being written`() async throws {
    let file = try fixture.note()
    let peer = try await fixture.peer()
    try await peer.send("open note.json")
    for round in 1...Scale.count(20, torture: 500) {
      // Each process replaces the oldest record, also one of another process.
      for _ in 0..<Int.random(in: 0...2) { try await file.update { $0.count += 1 } }
      try await peer.send("write note.json \(round)")
      try await file.firstValue("round \(round)") { $0.text == "\(round)" }
      try beginWriting(file)
      #expect(file.provenance?.processIdentifier == peer.identifier, "round \(round)")
    }
  }

  /// Does the same as a process that is killed, or waits for a processor, before its version is in place.
  private func beginWriting(_ file: AppGroupsFile<Note>) throws {
    let locked = try ExclusiveFile(locking: file.url)
    defer { locked.unlock() }
    let never = try locked.prepare(Data("never".utf8), durability: .process)
    defer { never.discard() }
    let stamp = FileStamp.ifReadable(path: file.url.path)
    locked.note(.current, VersionMark(content: Data("never".utf8)), as: nil, replacing: stamp, limit: .max)
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
    locked.note(.current, VersionMark(content: Data()), as: nil, replacing: nil, limit: 100)
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

  /// Changes a file in place, as the holder of a lock does.
  private func replaceBytes(of url: URL, by bytes: Data) throws {
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  private var suiteLock: URL { fixture.files.appending(path: ".shared/suite.json.lock") }

  @Test func `each change in a journal has its own cause and time`() throws {
    try append(1, forKey: "a")
    try append(2, forKey: "a")
    try Cause.withValue("import") { try append(3, forKey: "a") }
    let before = Date()
    for number in 4..<50 {
      try Cause.withValue(number.isMultiple(of: 2) ? "import" : nil) { try append(number, forKey: "a") }
      #expect(suite.provenance?.cause == (number.isMultiple(of: 2) ? "import" : nil))
      #expect(suite.provenance?.isThisProcess == true)
    }
    let date = try #require(suite.provenance?.date)
    #expect((before.addingTimeInterval(-0.002)...Date()).contains(date))
  }

  @Test func `however many causes there are, the last change has its own`() throws {
    let other = try fixture.suite()
    try Cause.withValue("first") { try append(-1, forKey: "a") }
    let first = try #require(suite.engine.memory.withLock { $0.mark?.version })
    #expect(suite.engine.location.provenance(of: first)?.cause == "first")
    for number in 0..<60 {
      try Cause.withValue("cause \(number)") { try append(number, forKey: "a") }
      #expect(suite.provenance?.cause == "cause \(number)")
      if number.isMultiple(of: 7) {
        try Cause.withValue("other") { try other.set(number, forKey: "b") }
        #expect(other.provenance?.cause == "other")
      }
    }
    // A process that does not use the lock for a while closes it, and takes other places when it opens it again.
    let cause = suite.engine.location.provenance(of: first)?.cause
    #expect(cause == nil || cause == "first", "it never gets the author that has taken its place")
  }

  @Test func `a process notes each of its last four causes once, as long as the lock is open`() throws {
    let url = fixture.files.appending(path: "note.json")
    func cause(of reference: MakerReference) throws -> String? {
      try ProvenanceRecord.find(#require(VersionMark(reference)), ofFileAt: url.path)?.cause
    }
    for causes in [60, 1] {
      let file = try ExclusiveFile(locking: url)
      let references = (0..<60).map { number in
        Cause.withValue("cause \(number % causes)") { file.maker(limit: .max) }
      }
      file.unlock()
      #expect(try cause(of: references[0]) == (causes == 1 ? "cause 0" : nil))
      #expect(try cause(of: references[59]) == "cause \(59 % causes)")
    }
    #expect(try Data(contentsOf: lock).count == 128 + (4 + 4 + 1) * 176)
  }

  @Test func `a change whose maker's note was replaced is of nobody, and later ones are noted again`() throws {
    try Cause.withValue("lost") { try append(0, forKey: "a") }
    let bytes = try Data(contentsOf: suiteLock)
    let start = 128 + 4 * 176
    try #require(bytes.count == start + 176 && suite.provenance?.cause == "lost")
    for index in [start, start + 4, start + 8, start + 30] {
      var damaged = bytes
      damaged[index] ^= 1
      try replaceBytes(of: suiteLock, by: damaged)
      #expect(suite.provenance == nil)
    }
    var number = 0
    while suite.provenance == nil {
      number += 1
      try Cause.withValue("found") { try append(number, forKey: "a") }
      try Cause.withValue("lost") { try append(-number, forKey: "a") }
    }
    #expect(suite.provenance?.cause == "lost")
  }

  @Test func `a change in a journal of an earlier version has no author, not the one of the file`() throws {
    try Cause.withValue("file") { try suite.set(1, forKey: "a") }
    #expect(VersionMark(MakerReference(number: 0)) == nil)
    try append(2, forKey: "a")
    suite.engine.memory.withLock { $0.mark?.maker = .unknown }
    #expect(suite.provenance == nil)
  }
}

import AppGroups
import CLibrary
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Unusable content", .eachKernel)
struct BadContentTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test(arguments: ["", "{", "null", "[]", #"{"count": "x", "text": ""}"#, #"{"count": 1}"#, "\u{0}\u{1}"])
  func `bad content is reported, the last value stands, and the next good content recovers`(content: String)
    async throws
  {
    let file = try fixture.note("note.json", Note(count: 1, text: "good"))
    let values = file.recorded()
    let failures = file.failures.recorded()
    try fixture.overwrite(with: content)
    let failure = try await failures.first("a failure") { _ in true }
    #expect(failure.description.contains(file.url.path))
    #expect(file.status.value.failure == failure)
    #expect(file.value == Note(count: 1, text: "good"))
    #expect(try fixture.text(of: file.url) == content, "the file is not repaired")

    try fixture.overwrite(with: noteText(2, "better"))
    try await values.wait(for: Note(count: 2, text: "better"))
    try await file.status.firstValue { $0 == .current }
    #expect(values.elements == [Note(count: 1, text: "good"), Note(count: 2, text: "better")])
    #expect(failures.elements.count == 1)
  }

  @Test
  func `a file with bad content opens with the initial value, reports the fault, and recovers`() async throws {
    _ = try fixture.note()
    try fixture.overwrite(with: "not JSON")
    let file = try fixture.note("note.json", Note(count: 9, text: "initial"))
    let failures = file.failures.recorded()
    #expect(file.value == Note(count: 9, text: "initial"))
    guard case .undecodable(_, let reason) = file.status.value.failure else {
      Issue.record("The status is \(file.status.value)")
      return
    }
    #expect(!reason.isEmpty)
    try await failures.first("the failure") { _ in true }
    try fixture.overwrite(with: noteText(1, "good"))
    try await file.firstValue { $0 == Note(count: 1, text: "good") }
  }

  @Test
  func `an unfinished write by another program is given time`() async throws {
    let file = try fixture.note()
    let failures = file.failures.recorded()
    var longest = Duration.zero
    for round in 1...20 {
      let duration = try ContinuousClock().measure {
        let handle = try FileHandle(forWritingTo: file.url)
        try handle.truncate(atOffset: 0)
        let content = Data(noteText(round, "whole").utf8)
        try handle.write(contentsOf: content.prefix(10))
        try handle.write(contentsOf: content.dropFirst(10))
        try handle.close()
      }
      longest = max(longest, duration)
      try await file.firstValue { $0.count == round }
    }
    // On a machine so busy that these few calls take that long, the writer was rightly given up for a while.
    if longest < .milliseconds(200) { #expect(failures.elements.isEmpty) }
    try await file.status.firstValue { $0 == .current }
  }

  @Test
  func `an error describes the fault and names its cause`() throws {
    let file = try fixture.note()
    try fixture.overwrite(with: #"{"count": 1}"#)
    let missing = #expect(throws: AppGroupsFileError.self) { try file.read() }
    #expect(missing?.description.contains(#"the key "text" is missing"#) == true)
    try fixture.overwrite(with: #"{"count": "one", "text": ""}"#)
    let mismatch = #expect(throws: AppGroupsFileError.self) { try file.read() }
    #expect(mismatch?.description.contains("at count") == true)
  }

  @Test
  func `another kind of entry in the file's place is reported, and the file is read when it returns`() async throws {
    let file = try fixture.counter("counter.json", 1)
    try FileManager.default.removeItem(at: file.url)
    #expect(mkfifo(file.url.path, 0o600) == 0)
    try await file.status.firstValue { $0.failure == .inaccessible(.notARegularFile(file.url, kind: "a named pipe")) }
    #expect(throws: AppGroupsFileError.self) { try file.write(2) }
    #expect(throws: AppGroupsFileError.self) { try file.update { $0 += 1 } }
    #expect(file.value == 1)
    try FileManager.default.removeItem(at: file.url)
    try FileManager.default.createDirectory(at: file.url, withIntermediateDirectories: false)
    try await file.status.firstValue { $0.failure == .inaccessible(.notARegularFile(file.url, kind: "a directory")) }
    try FileManager.default.removeItem(at: file.url)
    try fixture.overwrite("counter.json", with: "3")
    try await file.firstValue { $0 == 3 }
  }

  @Test
  func `a file without read permission is reported, and read when permitted again`() async throws {
    let peer = try await fixture.peer()
    if geteuid() == 0 {
      // Root may read everything, so the peer becomes another user.
      let nobody: uid_t = 65534
      #expect(chown(fixture.path, nobody, nobody) == 0)
      try await peer.send("user \(nobody)")
    }
    try await peer.send("open note.json")
    try await peer.send("write note.json readable")
    try await peer.send("observe-status note.json")
    try await peer.events.wait(for: "status note.json current")
    #expect(chmod(fixture.url("note.json").path, 0) == 0)
    try await peer.events.first("the refusal") { $0.contains("No permission to read") }
    #expect(try await peer.send("value note.json") == "1 readable")
    #expect(chmod(fixture.url("note.json").path, 0o600) == 0)
    try await peer.events.wait(for: "the recovery") { $0.last == "status note.json current" && $0.count >= 3 }
  }

  @Test(.asRoot)
  func `the owner of the directory can write after root has written`() async throws {
    let nobody: uid_t = 65534
    #expect(chown(fixture.path, nobody, nobody) == 0)
    let url = fixture.url("note.json")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(chown(url.deletingLastPathComponent().path, nobody, nobody) == 0)
    try Data(#"{"count": 1, "text": "theirs"}"#.utf8).write(to: url)
    #expect(chown(url.path, nobody, nobody) == 0)
    try await DurableFile.write(Data(#"{"count": 2, "text": "root's"}"#.utf8), to: url)
    let peer = try await fixture.peer()
    try await peer.send("user \(nobody)")
    try await peer.send("open note.json")
    #expect(try await peer.send("value note.json") == "2 root's")
    try await peer.send("write note.json again")
  }

  @Test func `an update that may replace undecodable content does not replace unreadable content`() throws {
    let file = try fixture.counter()
    try file.write(5)
    // The simplest entry that root cannot read is one that is not a regular file.
    #expect(unlink(file.url.path) == 0)
    #expect(mkfifo(file.url.path, 0o600) == 0)
    #expect(throws: AppGroupsFileError.self) { try file.update(overwriting: true) { $0 += 1 } }
    var status = stat()
    #expect(stat(file.url.path, &status) == 0)
    #expect(mode_t(status.st_mode) & S_IFMT == S_IFIFO)
  }

  @Test(.asRoot)
  func `a full disk is reported, and the file and the memory keep the old value`() async throws {
    try await withDisk(#"mount -t tmpfs -o size=128k tmpfs "$1""#) { disk in
      let container = try AppGroupsContainer(directory: disk)
      let file = try AppGroupsFile(name: "note.json", initialValue: Note(count: 1, text: "old"), container: container)
      let large = Note(count: 2, text: String(repeating: "x", count: 1_000_000))
      let full = AppGroupsFileError.inaccessible(.diskFull(file.url))
      await #expect(throws: full) { try await file.write(large) }
      await #expect(throws: full) { try await file.update { $0 = large } }
      #expect(file.value == Note(count: 1, text: "old"))
      #expect(try file.read() == Note(count: 1, text: "old"))
      try await file.write(Note(count: 3, text: "small again"))
      #expect(try file.read().count == 3)
    }
  }

  @Test
  func `a stale value keeps its date, however often the failure changes`() async throws {
    let file = try fixture.note()
    #expect(file.status.value.staleSince == nil)
    let before = ContinuousClock.now
    try fixture.overwrite(with: "[")
    try await file.status.firstValue { $0.failure != nil }
    let since = try #require(file.status.value.staleSince)
    #expect(before <= since && since <= .now)
    let first = file.status.value.failure
    try fixture.overwrite(with: "")
    try await file.status.firstValue { $0.failure != nil && $0.failure != first }
    #expect(file.status.value.staleSince == since)
    try fixture.overwrite(with: noteText(2, "better"))
    try await file.status.firstValue { $0 == .current }
    try fixture.overwrite(with: "[")
    try await file.status.firstValue { $0.failure != nil }
    #expect(try #require(file.status.value.staleSince) > since)
  }
}

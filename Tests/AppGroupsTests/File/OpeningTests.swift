import AppGroups
import CLibrary
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Opening a shared file", .patient, .eachKernel)
struct OpeningTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `a missing file is created with the initial value`() throws {
    let file = try fixture.note("note.json", Note(count: 7, text: "first"))
    #expect(file.value == Note(count: 7, text: "first"))
    #expect(try file.read() == Note(count: 7, text: "first"))
    #expect(file.status.value == .current)
    #expect(file.url.path == fixture.url("note.json").path)
  }

  @Test
  func `existing content wins over the initial value`() throws {
    try fixture.note().write(Note(count: 5, text: "here before"))
    let file = try fixture.note("note.json", Note(count: 1, text: "initial"))
    #expect(file.value == Note(count: 5, text: "here before"))
  }

  @Test
  func `a new file is private to the user`() throws {
    let file = try fixture.note()
    for url in [file.url, fixture.files, fixture.files.appending(path: ".shared")] {
      let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
      #expect(mode.map { $0 & 0o077 } == 0)
    }
  }

  @Test
  func `concurrent first openings on several threads agree on one creator`() async throws {
    for round in 0..<20 {
      let files = try await withThrowingTaskGroup(of: AppGroupsFile<Int>.self) { group in
        for initial in 1...4 {
          group.addTask { [fixture] in try await onThread { try fixture.counter("race\(round)", initial) } }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(files.map(\.value)).count == 1)
    }
  }

  @Test
  func `concurrent first openings in several processes agree on one creator`() async throws {
    let peers = try await [fixture.peer(), fixture.peer()]
    for round in 0..<10 {
      async let theirs = peers[0].send("open-counter first\(round)")
      async let others = peers[1].send("open-counter first\(round)")
      let ours = try await onThread { [fixture] in try fixture.counter("first\(round)", 42) }
      _ = try await (theirs, others)
      let values = try await [peers[0].send("value first\(round)"), peers[1].send("value first\(round)")]
      #expect(values == ["\(ours.value)", "\(ours.value)"])
    }
  }

  @Test(arguments: ["", ".", "..", ".hidden", "a/b", "../a", "/etc/passwd", "a\0b", String(repeating: "x", count: 300)])
  func `a name that could escape the container is rejected, and nothing is created`(name: String) throws {
    let error = #expect(throws: AppGroupsFileError.self) { try fixture.note(name) }
    guard case .invalidName(name, _) = error else {
      Issue.record("The error is \(String(describing: error))")
      return
    }
    #expect(try fixture.contents(of: fixture.container.containerURL).isEmpty)
  }

  @Test
  func `the longest name is accepted, together with all files beside it`() throws {
    let name = String(repeating: "x", count: 200)
    let file = try fixture.note(name)
    try file.write(Note(count: 1))
    #expect(try file.read().count == 1)
  }

  @Test
  func `a directory in the file's place is an error that names it, and stays`() throws {
    try FileManager.default.createDirectory(at: fixture.url("note.json"), withIntermediateDirectories: true)
    let error = #expect(throws: AppGroupsFileError.self) { try fixture.note() }
    #expect(error?.description.contains(fixture.url("note.json").path) == true)
    #expect(try fixture.contents(of: fixture.files) == ["note.json"])
  }

  @Test
  func `a named pipe in the file's place is an error and does not block`() throws {
    try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: true)
    #expect(mkfifo(fixture.url("note.json").path, 0o600) == 0)
    let error = #expect(throws: AppGroupsFileError.self) { try fixture.note() }
    guard case .inaccessible(.notARegularFile(_, let kind)) = error else {
      Issue.record("The error is \(String(describing: error))")
      return
    }
    #expect(kind == "a named pipe")
  }

  @Test
  func `a dangling symbolic link is an error, and stays`() throws {
    try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: true)
    let nowhere = fixture.files.appending(path: "nowhere")
    try FileManager.default.createSymbolicLink(at: fixture.url("note.json"), withDestinationURL: nowhere)
    #expect(throws: AppGroupsFileError.self) { try fixture.note() }
    #expect(!FileManager.default.fileExists(atPath: nowhere.path))
  }

  @Test
  func `a symbolic link out of the container is rejected, and its target is untouched`() throws {
    let outside = fixture.directory.file("outside.json")
    try Data(noteText(1, "outside").utf8).write(to: outside)
    try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: fixture.url("note.json"), withDestinationURL: outside)
    let error = #expect(throws: AppGroupsFileError.self) { try fixture.note() }
    guard case .outsideContainer(_, outside.path) = error else {
      Issue.record("The error is \(String(describing: error))")
      return
    }
    #expect(try Data(contentsOf: outside) == Data(noteText(1, "outside").utf8))
  }

  @Test
  func `a symbolic link in place of the directory of files is rejected`() throws {
    let outside = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      at: fixture.container.containerURL.appending(path: "Files"), withDestinationURL: outside.url)
    #expect(throws: AppGroupsFileError.self) { try fixture.note() }
    #expect(try fixture.contents(of: outside.url).isEmpty)
  }
}

@Suite("Opening a file by its URL", .patient, .eachKernel)
struct OpeningByURLTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test
  func `any file can be watched, without further files beside it`() throws {
    let url = directory.file("mine.json")
    try Data(noteText(3, "mine").utf8).write(to: url)
    let file = try AppGroupsFile(url: url, initialValue: Note())
    #expect(file.value == Note(count: 3, text: "mine"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["mine.json"])
  }

  @Test
  func `a missing file is not created, but observed when another program creates it`() async throws {
    let url = directory.file("later.json")
    let file = try AppGroupsFile(url: url, initialValue: Note())
    #expect(file.status.value == .missing)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
    try Data(noteText(1, "made").utf8).write(to: url)
    try await file.firstValue { $0 == Note(count: 1, text: "made") }
    try await file.status.firstValue { $0 == .current }
  }

  @Test
  func `a missing file is created with the initial value on request, and existing content stays`() throws {
    let url = directory.file("made.json")
    let note = Note(count: 1, text: "first")
    let file = try AppGroupsFile(url: url, initialValue: note, isCreating: true)
    #expect(file.status.value == .current)
    #expect(try JSONDecoder().decode(Note.self, from: Data(contentsOf: url)) == note)
    #expect(try AppGroupsFile(url: url, initialValue: Note(), isCreating: true).value == note)
    let missing = directory.file("no/file.json")
    #expect(throws: AppGroupsFileError.self) { try AppGroupsFile(url: missing, initialValue: note, isCreating: true) }
  }

  @Test
  func `a missing directory is an error that names it`() throws {
    let url = directory.file("no/such/file.json")
    let error = #expect(throws: AppGroupsFileError.self) { try AppGroupsFile(url: url, initialValue: Note()) }
    #expect(error?.description.contains(directory.file("no").path) == true)
  }

  @Test
  func `writing through a symbolic link replaces its target and keeps the link`() async throws {
    let target = try TemporaryDirectory()
    try Data(noteText(1, "").utf8).write(to: target.file("real.json"))
    let link = directory.file("link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target.file("real.json"))
    let file = try AppGroupsFile(url: link, initialValue: Note())
    #expect(file.value.count == 1)
    try await file.update { $0.count += 1 }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.file("real.json").path)
    #expect(try JSONDecoder().decode(Note.self, from: Data(contentsOf: target.file("real.json"))).count == 2)
    try await shell(#"printf %s "$2" > "$1.new"; mv "$1.new" "$1""#, target.file("real.json").path, noteText(9, ""))
    try await file.firstValue { $0.count == 9 }
  }
}

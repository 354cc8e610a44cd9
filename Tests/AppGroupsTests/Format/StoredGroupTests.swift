import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

private struct Theme: Codable, Hashable, Sendable {
  var theme: String
}

private struct Settings: Codable, Hashable, Sendable {
  var theme: String
  var size: Int
}

@Suite("Files, suites and presences written by earlier versions", .patient)
struct StoredGroupTests {
  private static let note = Note(count: 7, text: "tea, \"Grüße\"\n茶")
  private static let first = FileVersions(Theme.self)
  private static let second = first.migrating(to: Settings.self) { Settings(theme: $0.theme, size: 12) }

  @Test(.enabled(if: StoredFormat.writtenGeneration != nil))
  func `writes the stored files of this version`() async throws {
    let fixture = try Fixture()
    let peer = try PeerProcess()
    try await peer.send("presence \(fixture.path) recording")
    try await peer.send("announce microphone")
    // Last, so that most values of the suite are still in its journal.
    try writeFiles(in: fixture)
    try StoredFormat.store(fixture.directory.url, as: "group")
  }

  private func writeFiles(in fixture: Fixture) throws {
    try fixture.note().write(Self.note)
    try plist(fixture).write(Self.note)
    try AppGroupsFile(
      name: "old.json", initialValue: Theme(theme: ""), container: fixture.container, format: .versioned(Self.first)
    ).write(Theme(theme: "dark"))
    try settings(fixture, "new.json").write(Settings(theme: "light", size: 14))
    let suite = try fixture.suite()
    try suite.set(true, forKey: "flag")
    try suite.set(14, forKey: "size")
    try suite.set(0.1, forKey: "ratio")
    try suite.set(Self.note.text, forKey: "name")
    try suite.set(Self.note, forKey: "note")
    try suite.set([1, 2, 3], forKey: "list")
  }

  private func plist(_ fixture: Fixture) throws -> AppGroupsFile<Note> {
    try AppGroupsFile(
      name: "note.plist", initialValue: Note(), container: fixture.container, format: FileFormat(.binaryPropertyList))
  }

  private func settings(_ fixture: Fixture, _ name: String) throws -> AppGroupsFile<Settings> {
    try AppGroupsFile(
      name: name, initialValue: Settings(theme: "", size: 0), container: fixture.container,
      format: .versioned(Self.second))
  }

  @Test
  func `stored files of earlier versions exist`() {
    #expect(!StoredFormat.all("group").isEmpty)
  }

  @Test(arguments: StoredFormat.all("group"))
  func `a value in a file is read and updated, in each format`(_ stored: StoredFormat) throws {
    let fixture = try Fixture(stored)
    for file in [try fixture.note(), try plist(fixture)] {
      #expect(file.value == Self.note)
      #expect(file.status.value == .current)
      try file.update { $0.count += 1 }
      #expect(try file.read() == Note(count: 8, text: Self.note.text))
    }
  }

  @Test(arguments: StoredFormat.all("group"))
  func `a versioned value is read, migrated and updated`(_ stored: StoredFormat) throws {
    let fixture = try Fixture(stored)
    for (name, value) in [
      ("old.json", Settings(theme: "dark", size: 12)), ("new.json", Settings(theme: "light", size: 14)),
    ] {
      let file = try settings(fixture, name)
      #expect(file.value == value)
      #expect(file.status.value == .current)
      try file.update { $0.size += 1 }
      #expect(try file.read() == Settings(theme: value.theme, size: value.size + 1))
    }
  }

  @Test(arguments: StoredFormat.all("group"))
  func `the values of a suite are read and changed`(_ stored: StoredFormat) throws {
    let fixture = try Fixture(stored)
    let journal = fixture.files.appending(path: ".shared/journals/suite.json")
    #expect(FileManager.default.fileExists(atPath: journal.path) == (stored.generation >= 4))
    let suite = try fixture.suite()
    #expect(suite.status.value == .current)
    #expect(suite.keys == ["flag", "list", "name", "note", "ratio", "size"])
    #expect(try suite.value(forKey: "flag") == true)
    #expect(try suite.value(forKey: "size") == 14)
    #expect(try suite.value(forKey: "ratio") == 0.1)
    #expect(try suite.value(forKey: "name") == Self.note.text)
    #expect(try suite.value(forKey: "note") == Self.note)
    #expect(try suite.value(forKey: "list") == [1, 2, 3])
    try suite.set(15, forKey: "size")
    #expect(try suite.read().keys.count == 6)
    #expect(try suite.read().value(forKey: "size") == 15)
    #expect(try suite.read().value(forKey: "note") == Self.note)
  }

  @Test(arguments: StoredFormat.all("group"))
  func `an announcement is read while its process lives, and removed afterwards`(_ stored: StoredFormat) async throws {
    let fixture = try Fixture(stored)
    let directory = fixture.container.containerURL.appending(path: "Presence/recording")
    let name = try #require(try fixture.contents(of: directory).first { UUID(uuidString: $0) != nil })
    // Represents the process that wrote it.
    let descriptor = openForWriting(directory.appending(path: name).path)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let presence = try AppGroupsPresence<String>(name: "recording", container: fixture.container)
    let process = try #require(presence.value.first)
    #expect(presence.value.count == 1)
    #expect(process.value == "microphone")
    #expect(process.id.uuidString == name)
    #expect(process.processName.contains("Peer"))
    #expect(!process.isThisProcess)
    let token = try presence.announce("camera")
    #expect(presence.value.map(\.value) == ["microphone", "camera"])
    _ = close(descriptor)
    try await presence.firstValue("the end of the other process") { $0.map(\.value) == ["camera"] }
    token.withdraw()
    #expect(try fixture.contents(of: directory) == [".shared"])
  }

  @Test(arguments: StoredFormat.all("group"))
  func `an announcement of a dead process is ignored`(_ stored: StoredFormat) throws {
    let fixture = try Fixture(stored)
    let presence = try AppGroupsPresence<String>(name: "recording", container: fixture.container)
    #expect(!presence.isAnyonePresent.value)
    let token = try presence.announce("camera")
    #expect(presence.value.map(\.value) == ["camera"])
    token.withdraw()
  }
}

private func openForWriting(_ path: String) -> CInt {
  open(path, O_RDWR | O_CLOEXEC)
}

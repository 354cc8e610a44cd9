import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Hazards of a first run as root", .asRoot)
struct RootHazardTests {
  private static let user: uid_t = 65_534
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
    #expect(chown(fixture.path, Self.user, Self.user) == 0)
  }

  /// The entries of the container that belong to another user.
  private func foreign() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: fixture.path).filter { path in
      var status = stat()
      return lstat("\(fixture.path)/\(path)", &status) != 0 || status.st_uid != Self.user || status.st_gid != Self.user
    }
  }

  @Test
  func `the owner of the directory can use everything that root has created`() async throws {
    let note = try fixture.note("note.json", Note(count: 1, text: "root's"))
    try await note.write(Note(count: 2, text: "root's"))
    let suite = try fixture.suite()
    try await suite.set("root's", forKey: "name")
    let log = try AppGroupsLog<String>(name: "log", container: fixture.container)
    try log.append("root's")
    let consumer = try log.events(for: "consumer")
    let events = consumer.recorded()
    try await events.first("the event") { $0.event == "root's" }
    try await consumer.saveProgress()
    let presence = try AppGroupsPresence<String>(name: "presence", container: fixture.container)
    let token = try presence.announce("root's")
    #expect(try foreign() == [])

    let peer = try await fixture.peer()
    try await peer.send("user \(Self.user)")
    try await peer.send("open note.json")
    #expect(try await peer.send("value note.json") == "2 root's")
    try await peer.send("write note.json theirs")
    try await note.firstValue { $0.text == "theirs" }
    try await peer.send("suite \(fixture.path) suite.json")
    #expect(try await peer.send("suite-get name") == "root's")
    try await peer.send("suite-set name theirs")
    try await peer.send("log \(fixture.path) log")
    try await peer.send("follow-log other")
    try await peer.events.first("root's event") { $0.hasSuffix("root's") }
    try await peer.send("append theirs")
    try await events.first("their event") { $0.event == "theirs" }
    try await peer.send("presence \(fixture.path) presence")
    #expect(try await peer.send("present") == "root's")
    try await peer.send("announce theirs")
    try await presence.firstValue { Set($0.map(\.value)) == ["root's", "theirs"] }
    withExtendedLifetime(token) {}
  }

  @Test
  func `directories of a container belong to the owner of the enclosing one`() throws {
    let container = try AppGroupsContainer(directory: fixture.container.containerURL.appending(path: "a/b"))
    _ = try AppGroupsFile(name: "value.json", initialValue: 1, container: container)
    #expect(try foreign() == [])
  }

  @Test
  func `a root-owned file put in place of a lock keeps its owner`() throws {
    let file = try fixture.counter("value.json", 1)
    let lock = fixture.files.appending(path: ".shared/value.json.lock")
    let secret = fixture.directory.file("secret")
    try Data("secret".utf8).write(to: secret)
    try FileManager.default.removeItem(at: lock)
    #expect(link(secret.path, lock.path) == 0)
    try file.write(2)
    var status = stat()
    #expect(stat(secret.path, &status) == 0)
    #expect(status.st_uid == 0)
  }
}

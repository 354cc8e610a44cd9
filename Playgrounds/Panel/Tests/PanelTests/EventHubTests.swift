import Foundation
import Inspector
import Testing

@testable import Panel

/// The streams of a hub, from a snapshot on.
@Suite struct EventHubTests {
  @Test func `a client that begins at a snapshot is never reset, even while everything changes`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let folder = directory.appending(path: "Files")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: directory) } catch {} }
    let inspector = try Inspector(directory: directory)
    let hub = EventHub(inspector)
    await hub.start()
    for round in 0..<50 {
      try Data("\(round)".utf8).write(to: folder.appending(path: "\(round % 5).json"), options: .atomic)
      await inspector.refresh()
      let snapshot = await hub.snapshot()
      let client = try #require(await hub.open(after: "\(snapshot.epoch):\(snapshot.seq)"))
      let hello = String(decoding: try #require(await hub.next(client)), as: UTF8.self)
      #expect(hello.contains(#""resumed":true"#))
      await hub.close(client)
    }
    await hub.stop()
  }

  @Test func `a client that continues receives the changes and states in between`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let folder = directory.appending(path: "Files")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: directory) } catch {} }
    let inspector = try Inspector(directory: directory)
    let hub = EventHub(inspector)
    await hub.start()
    let snapshot = await hub.snapshot()
    try Data("1".utf8).write(to: folder.appending(path: "note.json"))
    await inspector.refresh()
    let client = try #require(await hub.open(after: "\(snapshot.epoch):\(snapshot.seq)"))
    var text = ""
    while !(text.contains("event: change") && text.contains("event: state")) {
      text += String(decoding: try #require(await hub.next(client)), as: UTF8.self)
    }
    #expect(text.contains(#""r":"file/note.json""#))
    await hub.stop()
  }
}

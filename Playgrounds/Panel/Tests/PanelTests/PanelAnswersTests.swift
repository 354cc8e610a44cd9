import Foundation
import Inspector
import Testing

@testable import Panel

/// The answers of the panel's server that are not values of the inspector.
@Suite struct PanelAnswersTests {
  /// A directory with a shared value.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init(_ value: String) throws {
      try FileManager.default.createDirectory(at: url.appending(path: "Files"), withIntermediateDirectories: true)
      try Data(value.utf8).write(to: url.appending(path: "Files/text.json"))
    }

    deinit { do { try FileManager.default.removeItem(at: url) } catch {} }
  }

  @Test func `parts of a text may be of any size, and begin and end between characters`() async throws {
    let folder = try Folder(#"["a👩‍👩‍👧é日"]"#)
    let resource = try await Inspector(directory: folder.url).resource("file/text.json")
    let whole = try TextAnswer(of: resource, from: 0, limit: .max)
    #expect(try TextAnswer(of: resource, from: 5, limit: .max).more == false)
    for offset in -1...whole.total + 1 {
      for limit in [Int.min, 0, 1, 2, 3, 7, .max] {
        let part = try TextAnswer(of: resource, from: offset, limit: limit)
        #expect(!part.text.contains("\u{FFFD}"))
        #expect(part.offset == whole.total || !part.text.isEmpty)
      }
    }
    // The parts that follow each other are the whole.
    var (text, offset) = ("", 0)
    while offset < whole.total {
      let part = try TextAnswer(of: resource, from: offset, limit: 1)
      text += part.text
      offset = part.offset + part.text.utf8.count
    }
    #expect(Array(text.utf8) == Array(whole.text.utf8))
    withExtendedLifetime(folder) {}
  }

  @Test func `a value that is no JSON has no text`() async throws {
    let folder = try Folder("no JSON")
    let resource = try await Inspector(directory: folder.url).resource("file/text.json")
    #expect(throws: PanelFailure.self) { try TextAnswer(of: resource, from: 0) }
    withExtendedLifetime(folder) {}
  }

  @Test func `a snapshot has the place in the stream instead of the inspector's own`() throws {
    let folder = try Folder("1")
    let snapshot = try Inspector(directory: folder.url).value
    let plain = try InspectedValue(json: PanelJSON.encode(snapshot), name: "snapshot")
    let answer = try PanelJSON.encode(SnapshotAnswer(snapshot: snapshot, epoch: "an epoch", seq: "1:2"))
    guard case .object(var members) = plain else { throw CocoaError(.coderReadCorrupt) }
    let hello = HelloEvent(epoch: "", seq: "", writable: false, resumed: false)
    #expect(members["protocol"] == .integer(hello.protocol))
    #expect(members["epoch"] != nil && members["seq"] == "0")
    (members["epoch"], members["seq"], members["heartbeat"]) = ("an epoch", "1:2", 5)
    #expect(try InspectedValue(json: answer, name: "answer") == .object(members))
  }
}

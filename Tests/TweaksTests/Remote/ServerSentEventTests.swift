import Foundation
import TestSupport
import Testing
@testable import Tweaks

@Suite("Server-sent events", .seeded)
struct ServerSentEventTests {
  private func events(_ text: String, limit: Int = 1_000, lastEventID: String? = nil) throws -> [ServerSentEvent] {
    var parser = ServerSentEventParser(limit: limit, lastEventID: lastEventID)
    return try parser.parse(Array(text.utf8))
  }

  @Test
  func `events are read as the standard says`() throws {
    #expect(try events("data: a\n\n") == [ServerSentEvent(data: "a")])
    #expect(try events("\u{FEFF}data:a\r\rdata: b\r\n\r\n").map(\.data) == ["a", "b"])
    #expect(try events("data: a\ndata\ndata:  c\n\n") == [ServerSentEvent(data: "a\n\n c")])
    #expect(
      try events("event: put\nid: 7\nretry: 10\nother: x\n: comment\ndata: {\"a\":1}\n\n")
        == [ServerSentEvent(name: "put", data: #"{"a":1}"#, id: "7")])
    #expect(try events("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n").map(\.id) == ["1", "1", nil])
    #expect(try events("id: 1\0\ndata: a\n\n", lastEventID: "0").map(\.id) == ["0"])
    #expect(try events("event: put\n\ndata: a\n\n") == [ServerSentEvent(data: "a")], "no data is no event")
    #expect(try events("data: incomplete\n") == [], "an event that was cut is dropped")
  }

  @Test
  func `events do not depend on the parts in which they arrive`() throws {
    var chance = Chance()
    let text = "id: ä1\r\ndata: Grüße\r\n\r\n: ping\n\ndata: a\ndata: b\r\revent: x\ndata: c\n\n"
    let expected = try events(text)
    #expect(expected.map(\.data) == ["Grüße", "a\nb", "c"])
    for _ in 1...100 {
      var parser = ServerSentEventParser(limit: 1_000)
      var found: [ServerSentEvent] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = min(rest.count, 1 + chance.number(below: 9))
        found += try parser.parse(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(found == expected)
    }
  }

  @Test
  func `an endless event is refused`() throws {
    #expect(throws: TweakRequestFailure.tooLarge(size: 101, limit: 100)) {
      try events("data: " + String(repeating: "x", count: 200), limit: 100)
    }
    let lines = String(repeating: "data: 0123456789\n", count: 20)
    #expect(throws: TweakRequestFailure.self) { try events(lines, limit: 100) }
    #expect(try events("data: 0123456789\n\n" + "data: 0123456789\n\n", limit: 20).count == 2)
  }

  @Test
  func `a patch is decoded strictly`() throws {
    let patch = try TweakPatch(
      ServerSentEvent(
        data: #"{"version": 3, "tweaks": {"f": {"v": {"Value": 1}, "l": {"Value": {"a": [1]}}}}, "#
          + #""removed": ["f/w%2Fx"]}"#, id: "9"))
    #expect(patch.version == 3 && patch.eventID == "9" && !patch.isComplete)
    #expect(patch.tweaks.map(\.variable).sorted() == ["l", "v"])
    #expect(patch.removed == [TweakID(feature: "f", variable: "w/x")])
    #expect(try TweakPatch(ServerSentEvent(data: #"{"version": 3, "complete": true}"#)).isComplete)
    for data in [
      "", "[]", "{}", #"{"version": "3"}"#, #"{"version": 3.5}"#, #"{"version": 3, "tweaks": []}"#,
      #"{"version": 3, "tweaks": {"f": {"v": {}}}}"#, #"{"version": 3, "removed": ["f"]}"#,
      #"{"version": 3, "removed": "f/v"}"#, #"{"version": 3, "complete": 1}"#,
    ] {
      #expect(throws: TweakRequestFailure.self, "\(data)") { try TweakPatch(ServerSentEvent(data: data)) }
    }
  }
}

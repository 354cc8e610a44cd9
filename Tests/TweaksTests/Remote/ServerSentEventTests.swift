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
    #expect(try events("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n").map(\.id) == ["1", "1", ""])
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
  func `comments and other lines do not count towards the size of an event`() throws {
    let pings = String(repeating: ": ping\n", count: 300)
    #expect(try events(pings + "data: a\n" + pings + "\n", limit: 100).map(\.data) == ["a"])
    let long = ":" + String(repeating: "x", count: 5_000)
    #expect(try events("\u{FEFF}\(long)\n\(long)\rdata: a\n\n", limit: 100).map(\.data) == ["a"])
    let others = String(repeating: "other: 0123456789\nretry: 1000\nevent: put\nid: 1\n", count: 100)
    #expect(try events(others + "data: a\n\n", limit: 100).map(\.data) == ["a"])
    // The bytes of the data and of the line that is read do count.
    #expect(throws: TweakRequestFailure.self) { try events(String(repeating: "x", count: 101), limit: 100) }
    #expect(throws: TweakRequestFailure.self) { try events(String(repeating: "data\n", count: 101), limit: 100) }
  }

  @Test
  func `lines are read byte by byte, whatever characters the bytes make`() throws {
    // A mark that combines with the colon or the space belongs to the value.
    #expect(try events("data:\u{301}x\n\n").map(\.data) == ["\u{301}x"])
    #expect(try events("data: \u{301}x\n\n").map(\.data) == ["\u{301}x"])
    #expect(try events("data\u{301}: x\n\ndata: y\n\n").map(\.data) == ["y"], "the name of another field")
    #expect(try events("id:\u{20D7}7\ndata: a\n\n").map(\.id) == ["\u{20D7}7"])
    #expect(try events(":\u{301}data: x\n\ndata: y\n\n").map(\.data) == ["y"], "a comment")
    #expect(try events("data: a\u{2028}b\u{85}c\u{B}d\n\n").map(\.data) == ["a\u{2028}b\u{85}c\u{B}d"])
    var parser = ServerSentEventParser(limit: 100)
    let bytes = Array("data: ".utf8) + [0xFF, 0x61, 0xC3] + Array("\n\n".utf8)
    #expect(try parser.parse(bytes).map(\.data) == ["\u{FFFD}a\u{FFFD}"])
  }

  /// The examples and rules of the section "Interpreting an event stream" of the HTML standard.
  static let standard: [(String, [ServerSentEvent])] = [
    ("data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]),
    (
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [
        ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event", id: ""),
        ServerSentEvent(data: " third event", id: ""),
      ]
    ),
    ("data\n\ndata\ndata\n\ndata:", [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")]),
    ("data:test\n\ndata: test\n\n", [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")]),
    ("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", [ServerSentEvent(data: "b")]),
    ("\n\u{FEFF}data: a\n\ndata: b\n\n", [ServerSentEvent(data: "b")]),
    ("DATA: a\n data: b\ndata : c\ndata: d\n\n", [ServerSentEvent(data: "d")]),
    (
      "event: a\nevent: b\ndata: x\n\ndata: y\n\n",
      [
        ServerSentEvent(name: "b", data: "x"), ServerSentEvent(data: "y"),
      ]
    ),
    ("event: a\nevent\ndata: x\n\n", [ServerSentEvent(data: "x")]),
    ("id: 7\n\ndata: x\n\n", [ServerSentEvent(data: "x", id: "7")]),
    ("id: 7\nid: a\0b\ndata: x\n\n", [ServerSentEvent(data: "x", id: "7")]),
    ("retry: 1000\nretry: x\nretry\ndata: a:b: c\n\n", [ServerSentEvent(data: "a:b: c")]),
    (
      "data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r\n",
      [
        ServerSentEvent(data: "a\nb\nc"), ServerSentEvent(data: "d"),
      ]
    ),
  ]

  @Test(arguments: standard)
  func `the standard's examples and rules are kept`(_ text: String, _ expected: [ServerSentEvent]) throws {
    #expect(try events(text) == expected)
  }

  @Test
  func `random streams are read like a model of the standard, whatever the parts`() throws {
    var chance = Chance()
    let pieces = [
      "data", "event", "id", "retry", "x", ":", ": ", "\n", "\r", "\r\n", "\n\n", " ", "\u{301}", "\u{FEFF}", "é",
      "\0", "1", "🎉",
    ]
    for _ in 0..<Scale.count(2_000, torture: 200_000) {
      let text = (0..<chance.number(below: 40)).map { _ in pieces[chance.number(below: pieces.count)] }.joined()
      var bytes = Array(text.utf8)
      if chance.once(in: 4), !bytes.isEmpty {
        bytes[chance.number(below: bytes.count)] = UInt8(chance.number(below: 256))
      }
      let expected = Self.model(bytes)
      var parser = ServerSentEventParser(limit: 10_000)
      var found: [ServerSentEvent] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = min(rest.count, 1 + chance.number(below: 5))
        found += try parser.parse(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(found == expected, "\(bytes)")
    }
  }

  /// The events of a whole stream, by the words of the standard.
  private static func model(_ bytes: [UInt8]) -> [ServerSentEvent] {
    var scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    var lines: [[Unicode.Scalar]] = []
    var line: [Unicode.Scalar] = []
    var index = 0
    while index < scalars.count {
      if scalars[index] == "\r" || scalars[index] == "\n" {
        lines.append(line)
        line = []
        if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
      } else {
        line.append(scalars[index])
      }
      index += 1
    }
    func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
      String(String.UnicodeScalarView(scalars))
    }
    var events: [ServerSentEvent] = []
    var (data, name, id) = ("", "", String?.none)
    for line in lines {
      if line.isEmpty {
        if !data.isEmpty {
          data.unicodeScalars.removeLast()
          events.append(ServerSentEvent(name: name.isEmpty ? "message" : name, data: data, id: id))
        }
        (data, name) = ("", "")
        continue
      }
      let colon = line.firstIndex(of: ":")
      let field = text(line[..<(colon ?? line.endIndex)])
      var value = colon.map { line[($0 + 1)...] } ?? []
      if value.first == " " { value = value.dropFirst() }
      switch field {
      case "data": data.unicodeScalars.append(contentsOf: Array(value) + ["\n"])
      case "event": name = text(value)
      case "id" where !value.contains("\0"): id = text(value)
      default: break
      }
    }
    return events
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

  @Test
  func `a value of a patch may be nested as deeply as one of a file`() throws {
    func event(_ depth: Int) -> ServerSentEvent {
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return ServerSentEvent(data: #"{"version": 3, "tweaks": {"f": {"v": {"Value": \#(value)}}}}"#)
    }
    #expect(try TweakPatch(event(64)).tweaks.count == 1)
    #expect(throws: TweakRequestFailure.self) { try TweakPatch(event(65)) }
  }
}

import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

/// The ways in which other programs change a file.
enum ForeignWriter: String, CaseIterable, CustomTestStringConvertible {
  case move = "mv of a file beside it"
  case moveFromElsewhere = "mv of a file from elsewhere"
  case editor = "an editor that keeps a backup"
  case sed = "sed -i"
  case inPlace = "truncation and rewriting in place"
  case inPieces = "truncation and rewriting in pieces"
  case recreation = "deletion and recreation"
  case directoryRecreation = "deletion and recreation of the directory"
  case directorySwap = "moving the directory away and another in its place"
  case foundation = "Foundation's atomic write"
  case copy = "cp over it"

  var testDescription: String { rawValue }

  /// The command; `$1` is the file, `$2` the new content, `$3` the directory.
  private var command: String? {
    switch self {
    case .move: #"printf %s "$2" > "$1.new"; mv "$1.new" "$1""#
    case .moveFromElsewhere: #"printf %s "$2" > "$3/../../elsewhere"; mv "$3/../../elsewhere" "$1""#
    case .editor: #"mv "$1" "$1~"; printf %s "$2" > "$1"; rm "$1~""#
    case .sed: #"sed -i.bak -e "1s|.*|$2|" -e '2,$d' "$1"; rm "$1.bak""#
    case .inPlace: #"printf %s "$2" > "$1""#
    case .inPieces: #": > "$1"; printf '{"count":' >> "$1"; printf %s "${2#*count\":}" >> "$1""#
    case .recreation: #"rm "$1"; printf %s "$2" > "$1""#
    case .directoryRecreation: #"rm -r "$3"; mkdir "$3"; printf %s "$2" > "$1""#
    case .directorySwap:
      #"mkdir "$3.new"; printf %s "$2" > "$3.new/${1##*/}"; mv "$3" "$3.old"; mv "$3.new" "$3"; rm -r "$3.old""#
    case .copy: #"printf %s "$2" > "$3/../../elsewhere"; cp "$3/../../elsewhere" "$1""#
    case .foundation: nil
    }
  }

  func write(_ content: String, to url: URL) async throws {
    guard let command else { return try Data(content.utf8).write(to: url, options: .atomic) }
    try await shell(command, url.path, content, url.deletingLastPathComponent().path)
  }
}

@Suite("Files that other programs change")
struct ConvergenceTests {
  @Test(arguments: ForeignWriter.allCases)
  func `every observer converges, in this process and in others, repeatedly`(writer: ForeignWriter) async throws {
    let fixture = try Fixture()
    let files = try [fixture.note(), fixture.note()]
    let peer = try await fixture.peer()
    try await peer.send("open note.json")
    try await peer.send("observe note.json")
    for round in 1...Scale.count(5, torture: 100) {
      try await writer.write(noteText(round, "by another"), to: files[0].url)
      for file in files { try await file.firstValue("round \(round)") { $0.count == round } }
      try await peer.events.first("round \(round)") { $0.hasSuffix(" \(round) by another") }
    }
    // Watching also still works in the other direction.
    try await peer.send("write note.json from the peer")
    for file in files { try await file.firstValue { $0.text == "from the peer" } }
  }

  @Test
  func `the last value of a burst arrives, whatever values were skipped`() async throws {
    let fixture = try Fixture()
    let file = try fixture.note()
    let peers = try await [fixture.peer(), fixture.peer()]
    for peer in peers {
      try await peer.send("open note.json")
      try await peer.send("observe note.json")
    }
    for round in 1...Scale.count(20, torture: 500) {
      // All processes write at once without waiting, so that each receives foreign changes among its own echoes.
      async let first = peers[0].send("write note.json first \(round)")
      async let second = peers[1].send("write note.json second \(round)")
      try await file.write(Note(count: -round, text: "ours \(round)"))
      _ = try await (first, second)
      let last = try file.read()
      try await file.firstValue { $0 == last }
      #expect(file.value == last)
      for peer in peers {
        try await peer.events.first("the last of round \(round)") { $0.hasSuffix(" \(last.count) \(last.text)") }
        #expect(try await peer.send("value note.json") == "\(last.count) \(last.text)")
      }
    }
  }

  @Test
  func `many quick replacements of the directory end with the last value`() async throws {
    let fixture = try Fixture()
    let file = try fixture.note()
    for round in 1...Scale.count(30, torture: 300) {
      try FileManager.default.removeItem(at: fixture.files)
      try FileManager.default.createDirectory(at: fixture.files, withIntermediateDirectories: false)
      try fixture.overwrite(with: noteText(round, ""))
    }
    let last = Scale.count(30, torture: 300)
    try await file.firstValue { $0.count == last }
  }
}

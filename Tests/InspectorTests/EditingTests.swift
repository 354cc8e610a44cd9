import AppGroups
import FileSignals
import Foundation
@testable import Inspector
import Signals
import TestSupport
import Testing

/// Changes of shared values through the process that has them open as values of their types.
@Suite struct EditingTests {
  /// A directory with a song that another process has open and lets inspectors edit.
  private final class Studio: Sendable {
    let directory: InspectedDirectory
    let peer: PeerProcess
    let inspector: Inspector
    static let id = "file/song.json"

    init(allowingEdits: Bool = true) async throws {
      directory = try InspectedDirectory()
      peer = try PeerProcess()
      try await peer.send("publish-edits \(directory.url.path) song.json")
      if !allowingEdits { try await peer.send("publish \(directory.url.path)") }
      inspector = try Inspector(directory: directory.url, isWritable: true)
    }

    var content: String {
      get throws { String(decoding: try Data(contentsOf: directory.file("Files/song.json")), as: UTF8.self) }
    }

    func edit(
      _ path: String?, _ value: InspectedValue?, _ action: InspectorRequest.Action = .editValue
    ) -> InspectorRequest {
      inspector.request(Self.id, path, value, action: action)
    }

    /// Returns the error of a change, which must leave the file as it is.
    func refusal(of request: InspectorRequest, dryRun: Bool = false) async throws -> InspectorError {
      let before = try content
      let error = try await inspector.refusal(of: request, dryRun: dryRun)
      #expect(try content == before)
      return error
    }
  }

  @Test func `an edit is made by the process that has the file open, as its type`() async throws {
    let studio = try await Studio()
    let (peer, inspector) = (studio.peer, studio.inspector)
    // A member that is absent, and a list that is empty, have no shape that an inspector could know.
    let rated = try await inspector.perform(studio.edit("/rating", 5))
    #expect(rated.process == "Peer-\(peer.identifier)")
    #expect(rated.message == "Set Files/song.json through Peer (\(peer.identifier)): rating: + 5.")
    #expect(rated.version == inspector.value[Studio.id]?.version)
    _ = try await inspector.perform(studio.edit("/tags", ["slow", "old"]))
    _ = try await inspector.perform(studio.edit("/kind", "pop"))
    #expect(try await peer.send("song") == "Blue pop 5 slow+old hunter2")
    _ = try await inspector.perform(studio.edit("/rating", nil, .removeValue))
    // The hidden part keeps its value.
    let green: InspectedValue = ["title": "Green", "kind": "jazz", "tags": [], "apiToken": .redacted]
    let changed = try await inspector.perform(studio.edit(nil, green, .setValue))
    #expect(!"\(changed)".contains("hunter2"))
    #expect(try await peer.send("song") == "Green jazz -  hunter2")
    try await peer.kill()
  }

  @Test func `the snapshot names the process that changes a value, until it ends`() async throws {
    let studio = try await Studio()
    @Sendable func editor(_ snapshot: InspectorSnapshot) -> InspectedFile.Editor? {
      guard case .file(let file)? = snapshot[Studio.id]?.typedDetails else { return nil }
      return file.editor
    }
    let snapshot = try await studio.inspector.wait { editor($0) != nil }
    #expect(editor(snapshot)?.type == "Song")
    #expect(editor(snapshot)?.process == "Peer-\(studio.peer.identifier)")
    try await studio.peer.kill()
    _ = try await studio.inspector.wait { editor($0) == nil }
    // Without the process, the file itself is changed.
    let outcome = try await studio.inspector.perform(studio.edit("/title", "Red"))
    #expect(outcome.maker?.pid == ProcessInfo.processInfo.processIdentifier)
    #expect(try studio.content.contains("Red"))
  }

  @Test(
    arguments: [
      ("/title", InspectedValue.integer(1), " at title"), ("/kind", "rock", "at kind"),
      ("/rating", "high", " at rating"), ("/tags", [1], "at tags.[0]"), ("/colour", "blue", "no place for /colour"),
      ("", ["title": "Green"], #"the key "kind" is missing"#), ("", 7, "Song"),
    ] as [(String, InspectedValue, String)])
  func `a value that is not of the type is refused with the words of the decoder`(
    path: String, value: InspectedValue, words: String
  ) async throws {
    let studio = try await Studio()
    let request = path.isEmpty ? studio.edit(nil, value, .setValue) : studio.edit(path, value)
    for isDry in [true, false] {
      let error = try await studio.refusal(of: request, dryRun: isDry)
      #expect(error.code == "refused", "\(error)")
      #expect(error.cause.contains(words), "\(error)")
      #expect(error.cause.hasPrefix("Peer (\(studio.peer.identifier)) refused it: "), "\(error)")
    }
    try await studio.peer.kill()
  }

  @Test func `a dry run asks the process, and changes nothing`() async throws {
    let studio = try await Studio()
    let before = try studio.content
    let outcome = try await studio.inspector.perform(studio.edit("/rating", 5), dryRun: true)
    #expect(outcome.message.hasPrefix("Would set Files/song.json through Peer"))
    #expect(outcome.differences?.map(\.new) == [5])
    #expect(try studio.content == before)
    try await studio.peer.kill()
  }

  @Test func `an outdated edit is a conflict`() async throws {
    let studio = try await Studio()
    let request = studio.edit("/title", "Red")
    _ = try await studio.inspector.perform(studio.edit("/title", "Green"))
    let error = try await studio.refusal(of: request)
    guard case .conflict(_, _, _, let theirs, let yours) = error else { throw error }
    #expect(theirs?["title"] == "Green")
    #expect(yours?["title"] == "Red")
    #expect(!"\(error)".contains("hunter2"))
    try await studio.peer.kill()
  }

  @Test func `the limits of the file and of a suspension apply`() async throws {
    let studio = try await Studio()
    let long = InspectedValue.string(String(repeating: "x", count: 5000))
    let large = try await studio.refusal(of: studio.edit("/title", long))
    #expect(large.cause.contains("exceed the limit of 4096"), "\(large)")
    try await studio.peer.send("song-suspend")
    let suspended = try await studio.refusal(of: studio.edit("/title", "Red"))
    #expect(suspended.cause.contains("suspended"), "\(suspended)")
    try await studio.peer.send("song-resume")
    #expect(try await studio.inspector.perform(studio.edit("/title", "Red")).done)
    try await studio.peer.kill()
  }

  @Test func `a process that publishes without edits leaves them to the inspector`() async throws {
    let studio = try await Studio(allowingEdits: false)
    let outcome = try await studio.inspector.perform(studio.edit("/title", "Red"))
    #expect(outcome.maker?.pid == ProcessInfo.processInfo.processIdentifier)
    let error = try await studio.refusal(of: studio.edit("/rating", 5))
    #expect(error.code == "shape")
    #expect(try studio.directory.temporary.names(in: ".shared/edits").isEmpty)
    try await studio.peer.kill()
  }

  @Test func `a file that no process has open is changed directly`() async throws {
    let studio = try await Studio()
    let note = try AppGroupsFile(name: "note.json", initialValue: ["a": 1], container: studio.directory.container)
    _ = try await studio.inspector.wait { $0["file/note.json"] != nil }
    let outcome = try await studio.inspector.perform(studio.inspector.request("file/note.json", "/a", 2))
    #expect(outcome.message == "Set Files/note.json: a: 1 → 2.")
    #expect(try await note.update { $0 } == ["a": 2])
    try await studio.peer.kill()
  }

  @Test func `a stopped process is named, and never makes the change`() async throws {
    let studio = try await Studio()
    studio.peer.signal(SIGSTOP)
    let error = try await studio.refusal(of: studio.edit("/title", "Red"))
    #expect(error.code == "unanswered")
    #expect(error.cause.hasPrefix("Peer (\(studio.peer.identifier)) did not answer within 5 s"), "\(error)")
    studio.peer.signal(SIGCONT)
    // It answers only after it has refused the late change.
    #expect(try await studio.inspector.perform(studio.edit("/rating", 5)).done)
    #expect(try await studio.peer.send("song") == "Blue jazz 5  hunter2")
    try await studio.peer.kill()
  }

  @Test func `an inspector for reading sends no edit`() async throws {
    let studio = try await Studio()
    let reader = try Inspector(directory: studio.directory.url)
    let error = try await reader.refusal(of: reader.request(Studio.id, "/title", "Red"))
    #expect(error == .readOnly(operation: "Set song.json at /title"))
    #expect(try studio.content.contains("Blue"))
    try await studio.peer.kill()
  }

  // MARK: Hostile processes

  /// Returns the answer to bytes that another program sends to the socket for edits.
  private func answer(to bytes: Data, from studio: Studio) async throws -> String {
    let directory = studio.directory.file(LocalListener.edits).path
    let name = try #require(try studio.directory.temporary.names(in: LocalListener.edits).first)
    return try await onThread {
      let socket = try LocalSocket.connect(name, in: directory)
      _ = LocalSocket.send([UInt8](bytes), to: socket.number, within: .seconds(10))
      let answer = LocalSocket.receive(from: socket.number, within: .seconds(20), maximum: 1 << 20)
      return String(decoding: answer ?? Data(), as: UTF8.self)
    }
  }

  @Test(arguments: [
    "\n", "hello\n", "[1, 2]\n", #"{"path":"Files/song.json"}"# + "\n", "\u{0}\u{1}\n",
    #"{"path":1,"version":"","content":"","isDry":false}"# + "\n",
  ])
  func `a request that is not a change is refused`(text: String) async throws {
    let studio = try await Studio()
    let before = try studio.content
    #expect(try await answer(to: Data(text.utf8), from: studio).contains("the request is not a change of a file"))
    #expect(try studio.content == before)
    #expect(try await studio.inspector.perform(studio.edit("/title", "Red")).done)
    try await studio.peer.kill()
  }

  @Test func `a request without an end, or one that is too long, is refused`() async throws {
    let studio = try await Studio()
    let (unfinished, long) = (Data(#"{"path":"#.utf8), Data(repeating: UInt8(ascii: "x"), count: 5 << 20))
    #expect(try await answer(to: unfinished, from: studio).contains("did not arrive within 1 s"))
    // The process may close the connection before the end of the request.
    let answer = try await answer(to: long, from: studio)
    #expect(answer.isEmpty || answer.contains("more than 4194304 bytes"))
    #expect(try await studio.inspector.perform(studio.edit("/title", "Red")).done)
    try await studio.peer.kill()
  }

  @Test(arguments: ["Files/other.json", "Files/../Files/song.json", "/etc/passwd", "../song.json", ""])
  func `a path that is not that of an open file is unknown`(path: String) async throws {
    let studio = try await Studio()
    let request = #"{"path":"\#(path)","version":"","content":"{}","isDry":false}"# + "\n"
    #expect(try await answer(to: Data(request.utf8), from: studio) == #"{"result":"unknown"}"#)
    try await studio.peer.kill()
  }

  @Test(arguments: ["", "{", "[]", "7", #"{"title": "a", "title": "b"}"#, "\u{FFFD}"])
  func `content that is not of the type is refused, also from other programs`(content: String) async throws {
    let studio = try await Studio()
    let version = try #require(studio.inspector.value[Studio.id]?.version)
    let text = String(decoding: try JSONEncoder().encode(content), as: UTF8.self)
    let request = #"{"path":"Files/song.json","version":"\#(version)","content":\#(text),"isDry":false}"# + "\n"
    let before = try studio.content
    #expect(try await answer(to: Data(request.utf8), from: studio).contains(#""result":"refused""#))
    #expect(try studio.content == before)
    try await studio.peer.kill()
  }
}

import Containers
import Foundation
import Signals
import TestSupport
import Testing

/// The name of a directory of an environment that is being removed.
private let gone = ".gone-\(zero)"

/// Journals that no switch writes: each would move or delete entries outside the root, or the records in it.
private let forgedJournals: [String] = [
  #""leavingTo":"../../outside","leaving":["victim"],"arriving":[]"#,
  #""leavingTo":"\#(zero)/data","arrivingFrom":"../../outside","leaving":[],"arriving":["top.txt"]"#,
  #""leavingTo":"\#(zero)/data","arrivingFrom":"\#(zero)/data","leaving":[],"arriving":["../outside/victim"]"#,
  #""leavingTo":"\#(zero)/data","leaving":[],"arriving":[],"#
    + #""replacement":{"path":"../../outside","old":"state.backup.json"}"#,
  #""leavingTo":"\#(gone)/data","leaving":[],"arriving":[],"#
    + #""replacement":{"path":"\#(zero)/settings","old":"../../outside"}"#,
  #""leavingTo":"\#(zero)/data/../../../../outside","leaving":["victim"],"arriving":[]"#,
  #""leavingTo":"\#(zero)","leaving":["info.json"],"arriving":[]"#,
  #""leavingTo":"\#(zero)/data","arrivingFrom":"\#(zero)/data","leaving":[],"arriving":[".containers/state.json"]"#,
  #""leavingTo":"\#(zero)/data","leaving":[""],"arriving":[]"#,
]

/// Records that another program has written, or that were restored from an untrusted copy.
@Suite("Hazards of hostile records")
struct HostileRecordTests {
  private let fixture: Fixture
  private let outside: URL

  init() throws {
    fixture = try Fixture()
    outside = fixture.directory.url.appending(path: "outside", directoryHint: .isDirectory)
    for path in ["victim", "data/victim", "settings/victim"] {
      try Tree.write("precious", to: outside.appending(path: path))
    }
    do { _ = try fixture.open() }
  }

  private func writeJournal(_ content: String) throws {
    try fixture.write(#"{"version":1,"revision":999999999,\#(content)}"#, to: ".containers/journal.json")
  }

  /// Opens the root, which fails, and checks that no entry has moved.
  private func refusal() throws -> AppContainerError? {
    let before = try (Tree.listing(outside), fixture.live())
    let error = #expect(throws: AppContainerError.self) { try fixture.open() }
    #expect(try Tree.listing(outside) == before.0)
    #expect(try fixture.live() == before.1)
    return error
  }

  @Test(arguments: forgedJournals)
  func `a journal that no switch has written is refused, and nothing is moved`(content: String) throws {
    try writeJournal(content)
    let url = fixture.url(".containers/journal.json")
    let error = try refusal()
    guard case .unreadableState(url, _) = error else { return unexpected(error) }
    try FileManager.default.removeItem(at: url)
    #expect(try fixture.open().active.value.isDefault)
  }

  @Test func `no entry is moved through a link in the root`() throws {
    try FileManager.default.createSymbolicLink(at: fixture.url("door"), withDestinationURL: outside)
    try writeJournal(
      #""leavingTo":"\#(zero)/data","arrivingFrom":"\#(zero)/data","leaving":[],"arriving":["door/victim"]"#)
    let error = try refusal()
    guard case .blocked(let url, _) = error, url.lastPathComponent == "door" else { return unexpected(error) }
    try fixture.write("planted", to: ".containers/\(zero)/data/door/new")
    try writeJournal(#""leavingTo":"\#(zero)/data","leaving":["door/new"],"arriving":[]"#)
    let second = try refusal()
    guard case .blocked = second else { return unexpected(second) }
  }

  @Test func `nothing is moved or deleted through a link in place of an environment`() throws {
    let id = UUID().uuidString
    try FileManager.default.createSymbolicLink(at: fixture.url(".containers/\(id)"), withDestinationURL: outside)
    try fixture.write("old", to: ".containers/\(gone)/old/file")
    try fixture.write("old", to: ".containers/\(gone)/data/file")
    let journals = [
      #""leavingTo":"\#(id)/data","leaving":["victim"],"arriving":[]"#,
      #""leavingTo":"\#(gone)/data","leaving":[],"arriving":[],"#
        + #""replacement":{"path":"\#(id)/settings","old":"\#(gone)/old"}"#,
    ]
    for journal in journals {
      try writeJournal(journal)
      let error = try refusal()
      guard case .blocked(let url, _) = error, url.lastPathComponent == id else { return unexpected(error) }
    }
  }

  // MARK: The state

  /// Writes a state with some other values, and expects that it is refused.
  private func expectRefusal(_ values: [String: Any], sourceLocation: SourceLocation = #_sourceLocation) throws {
    var state: [String: Any] = [
      "version": 1, "revision": 2, "switches": 0, "active": zero, "uuids": [zero], "excludes": [String](),
      "activations": [String: Any](),
    ]
    state.merge(values) { $1 }
    let data = try JSONSerialization.data(withJSONObject: state)
    for file in ["state.json", "state.backup.json"] { try data.write(to: fixture.url(".containers/\(file)")) }
    let error = #expect(throws: AppContainerError.self, sourceLocation: sourceLocation) { try fixture.open() }
    guard case .unreadableState = error else { return unexpected(error, sourceLocation: sourceLocation) }
  }

  @Test(arguments: [Int.max, Int.max - 1, -1])
  func `a counter that no program can have reached is refused, and no addition overflows`(number: Int) throws {
    try expectRefusal(["revision": number])
    try expectRefusal(["switches": number])
    try expectRefusal(["activations": [zero: ["count": number]]])
  }

  @Test(arguments: ["", "/", "../outside", "a/../../outside"])
  func `an excluded path that leads out of the root is refused`(path: String) throws {
    try expectRefusal(["excludes": ["good", path]])
  }
}

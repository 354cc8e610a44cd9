#if os(Linux)
  @testable import AppGroups
  import FileSignals
  import Foundation
  import Signals
  import TestSupport
  import Testing

  /// Files that cannot be examined at the moment, and writes that the system would punish.
  @Suite("Hazards of unknown files", .patient)
  struct UnknownFileTests {
    let fixture: LogFixture

    init() throws {
      fixture = try LogFixture()
    }

    @Test(.enabled(if: PeerProcess.canBeTraced))
    func `a log keeps its events for a consumer whose files cannot be examined`() async throws {
      let log = try fixture.log(LogLimits(segmentSize: 4096))
      let place = try LogPlace(name: "log", container: fixture.fixture.container)
      try ConsumerPlace(name: "later", place: place).expect()
      let quick = LogRecorder(try log.events(for: "quick"))
      for number in 1...12 { try log.append("\(number) \(String(repeating: "x", count: 1000))") }
      try await quick.wait(for: 12)
      try await quick.saveProgress()
      let count = try fixture.segments().count
      #expect(count > 2)
      let note = fixture.directory.appending(path: ".consumers/later.expected").path
      let calls = fixture.fixture.directory.file("calls")
      guard let peer = try await PeerProcess.failing("newfstatat", on: note, with: "EIO", log: calls) else { return }
      try await peer.send("log \(fixture.fixture.path) log")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("trim-log") }
      try await peer.endTraced()
      #expect(try fixture.segments().count == count)
    }

    @Test(.asRoot)
    func `a file is not opened without its scope where the records of environments may not be examined`() async throws {
      let group = fixture.fixture.directory.url
      try await shell(
        #"mkdir -m 700 "$1"/.containers; echo '{}' > "$1"/.containers/state.json; chmod 755 "$1""#, group.path)
      let file = group.appending(path: "value.json")
      try Data("1".utf8).write(to: file)
      await #expect(processExitsWith: .success) { [path = file.path as String] in
        try #require(setegid(65_534) == 0 && seteuid(65_534) == 0)
        // Otherwise the leak sanitizer could not examine the process at its end.
        defer { #expect(seteuid(0) == 0) }
        #expect(throws: AppGroupsFileError.self) {
          try AppGroupsFile(url: URL(filePath: path), initialValue: 0)
        }
      }
    }

    @Test
    func `a limit of file sizes refuses announcements and events, and ends no process`() async throws {
      let peer = try await fixture.peer()
      try await peer.send("presence \(fixture.fixture.path) presence")
      try await peer.send("limit 100")
      let failure = await #expect(throws: PeerProcess.Failure.self) {
        try await peer.send("announce \(String(repeating: "x", count: 1000))")
      }
      guard case .refused(_, let answer) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(answer.contains("exceeds the file size limit"))
      try await peer.send("limit 10")
      let refusal = await #expect(throws: PeerProcess.Failure.self) { try await peer.send("append text") }
      guard case .refused = refusal else {
        Issue.record("\(String(describing: refusal))")
        return
      }
    }
  }
#endif

@testable import AppGroups
@testable import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// A presence that receives changes only from the test, so that no change arrives by itself.
@Suite("A presence with injected changes")
struct PresenceChangesTests {
  private let fixture: Fixture
  private let directory: PresenceDirectory
  private let changes = Emitter<PathChange, Never>()

  init() throws {
    fixture = try Fixture()
    directory = try PresenceDirectory(name: "recording", container: fixture.container)
  }

  private func engine() throws -> PresenceEngine<String> {
    try PresenceEngine(directory, coding: .json, changes: changes)
  }

  private func values(of engine: PresenceEngine<String>) -> Recorder<[String]> {
    engine.present.map { $0.map(\.value) }.recorded()
  }

  /// A change without names, which casts doubt on no announcement.
  private var look: PathChange { PathChange(events: [], isPoll: true) }

  /// Starts a process that announces a value, and returns the value's identifier with it.
  private func peer(announcing value: String) async throws -> (PeerProcess, id: String) {
    let peer = try PeerProcess()
    try await peer.send("presence \(fixture.path) recording")
    return (peer, try await peer.send("announce \(value)"))
  }

  @Test
  func `an announcement of another object appears and disappears only with a change`() async throws {
    let engine = try engine()
    let values = values(of: engine)
    let other = try AppGroupsPresence<String>(name: "recording", container: fixture.container)
    let token = try other.announce("microphone")
    #expect(values.elements == [[]])
    changes.send(look)
    try await values.wait(for: ["microphone"])
    token.withdraw()
    #expect(engine.present.value.map(\.value) == ["microphone"])
    changes.send(look)
    try await values.wait(for: "the end") { $0.count > 1 && $0.last == [] }
    #expect(values.elements == [[], ["microphone"], []])
  }

  @Test
  func `a killed process is gone after its file was closed`() async throws {
    let engine = try engine()
    let values = values(of: engine)
    let (peer, id) = try await peer(announcing: "camera")
    changes.send(PathChange(written: id))
    try await values.wait(for: ["camera"])
    // The file is closed a moment before its lock is released, so this change may be too early.
    peer.signal(SIGKILL)
    changes.send(PathChange(written: id))
    try await peer.kill()
    changes.send(PathChange(written: id))
    try await values.wait(for: "the end") { $0.last == [] }
    #expect(!engine.isAnyonePresent.value)
  }

  @Test
  func `a direct look finds announcements that no change has reported yet`() async throws {
    let engine = try engine()
    let (peer, text) = try await peer(announcing: "camera")
    let id = try #require(UUID(uuidString: text))
    #expect(engine.present.value.isEmpty)
    #expect(try engine.isPresent(id))
    #expect(try engine.read().map(\.value) == ["camera"])
    changes.send(look)
    try await values(of: engine).wait(for: ["camera"])
    try await peer.kill()
    #expect(engine.present.value.map(\.value) == ["camera"])
    #expect(try engine.read().isEmpty)
    #expect(try !engine.isPresent(id))
  }

  @Test
  func `a direct look returns no incomplete list`() throws {
    let engine = try engine()
    let token = try PresenceToken("microphone", in: engine)
    let stranger = UUID()
    let other = try PresenceFile(
      Data("none".utf8), at: directory.place(of: stranger),
      temporariesIn: directory.url.appending(path: ".shared", directoryHint: .isDirectory))
    #expect {
      try engine.read()
    } throws: { error in
      guard case .undecodable(let url, _)? = error as? AppGroupsFileError else { return false }
      return url == directory.place(of: stranger)
    }
    #expect(try engine.isPresent(stranger) && engine.isPresent(token.id))
    #expect(try !engine.isPresent(UUID()))
    withExtendedLifetime(other) {}
  }

  @Test
  func `dead processes are found after changes were lost`() async throws {
    let engine = try engine()
    let values = values(of: engine)
    let (peer, _) = try await peer(announcing: "camera")
    changes.send(look)
    try await values.wait(for: ["camera"])
    try await peer.kill()
    #expect(engine.present.value.map(\.value) == ["camera"])
    var change = PathChange(events: [])
    change.isOverflow = true
    changes.send(change)
    try await values.wait(for: "the end") { $0.last == [] }
  }

  @Test
  func `a presence's own announcements need no change`() throws {
    let engine = try engine()
    let token = try PresenceToken("microphone", in: engine)
    #expect(engine.present.value.map(\.value) == ["microphone"])
    try token.write("camera")
    #expect(engine.present.value.map(\.value) == ["camera"])
    token.withdraw()
    #expect(engine.present.value.isEmpty)
  }

  @Test
  func `a lasting error is reported once, and readable announcements stay`() async throws {
    let engine = try engine()
    let failures = engine.failures.recorded()
    let values = values(of: engine)
    let stranger = UUID()
    let other = try PresenceFile(
      Data("none".utf8), at: directory.place(of: stranger),
      temporariesIn: directory.url.appending(path: ".shared", directoryHint: .isDirectory))
    let token = try PresenceToken("microphone", in: engine)
    #expect(failures.elements.count == 1)
    changes.send(PathChange(written: stranger.uuidString))
    try token.write("camera")
    try await values.wait(for: ["camera"])
    #expect(failures.elements.count == 1)
    withExtendedLifetime(other) {}
  }

  @Test
  func `concurrent reads leave the result of the last one`() throws {
    let engine = try engine()
    withThreads(4) { index in
      for round in 0..<25 {
        do {
          let token = try PresenceToken("\(index) \(round)", in: engine)
          #expect(engine.present.value.contains { $0.id == token.id })
          token.withdraw()
          #expect(!engine.present.value.contains { $0.id == token.id })
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(engine.present.value.isEmpty)
    #expect(!engine.isAnyonePresent.value)
  }

  @Test(.patient)
  func `a presence's subscription is listed like any other, and ends with the presence`() async throws {
    do {
      let engine = try engine()
      #expect(await changes.subscriptions().map(\.description) == ["sink"])
      #expect(engine.health.value == .active)
    }
    // The queue may still retain the engine for a moment.
    while await !changes.subscriptions().isEmpty { await Task.yield() }
  }

  @Test
  func `the subscription of a presence that the kernel notifies is listed, too`() async throws {
    let engine = try PresenceEngine<String>(directory, coding: .json)
    let changes = try #require(engine.changes as? PathChanges)
    #expect(await changes.subscriptions().map(\.description) == ["sink"])
  }
}

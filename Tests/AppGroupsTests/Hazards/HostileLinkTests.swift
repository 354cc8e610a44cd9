import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Hazards of members that swap files for links out of the container", .patient)
struct HostileLinkTests {
  let fixture: Fixture
  let outside: TemporaryDirectory
  let victim: URL

  init() throws {
    fixture = try Fixture()
    outside = try TemporaryDirectory()
    victim = outside.file("value.json")
    try Data("-666".utf8).write(to: victim)
  }

  @Test(arguments: ["swap-file", "swap-directory"])
  func `no file outside the container is read or written`(swap: String) async throws {
    // In a separate process, because so many swaps overflow the event queue that all observers share.
    await #expect(processExitsWith: .success) {
      [swap = swap as String, path = fixture.path as String, outside = outside.url.path as String] in
      try await write(to: path, outside: outside, during: swap)
    }
    #expect(try fixture.text(of: victim) == "-666")
    #expect(try fixture.contents(of: outside.url) == ["value.json"])
  }

  @Test func `a link that replaces the file during an update stays, and exposes the file to no one`() async throws {
    let file = try fixture.counter("value.json", 1)
    #expect(throws: AppGroupsFileError.self) {
      try file.update { value in
        value = 2
        try FileManager.default.removeItem(at: file.url)
        try FileManager.default.createSymbolicLink(at: file.url, withDestinationURL: victim)
      }
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.url.path) == victim.path)
    #expect(try fixture.text(of: victim) == "-666")
    #expect(file.value == 1)
  }

  @Test func `a directory moved out behind a link is no longer written to`() throws {
    let file = try fixture.counter("value.json", 1)
    let manager = FileManager.default
    let container = fixture.container.containerURL
    let (inner, moved) = (container.appending(path: "inner"), outside.file("inner"))
    // The container's files are behind a link, which is allowed.
    try manager.createDirectory(at: inner, withIntermediateDirectories: false)
    try manager.moveItem(at: fixture.files, to: inner.appending(path: "deep"))
    try manager.createSymbolicLink(at: fixture.files, withDestinationURL: inner.appending(path: "deep"))
    try file.write(2)
    try manager.moveItem(at: inner, to: moved)
    try manager.createSymbolicLink(at: inner, withDestinationURL: moved)
    let error = #expect(throws: AppGroupsFileError.self) { try file.write(3) }
    if case .outsideContainer = error {} else { Issue.record("\(String(describing: error))") }
    #expect(try fixture.text(of: moved.appending(path: "deep/value.json")).contains("2"))
  }
}

/// Writes, updates and reads a file while another process swaps it, or its directory, for a link.
private func write(to path: String, outside: String, during swap: String) async throws {
  let container = try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
  let file = try AppGroupsFile(name: "value.json", initialValue: 1, container: container)
  let values = file.recorded()
  let hostile = try PeerProcess()
  try await hostile.send(
    swap == "swap-file"
      ? "\(swap) \(file.url.path) \(outside)/value.json"
      : "\(swap) \(file.url.deletingLastPathComponent().path) \(outside)")
  try await onThread {
    var (written, refused, rounds) = (0, 0, 0)
    // Each outcome must have occurred, to prove a real race.
    while rounds < 3000 || (rounds < 100_000 && (written == 0 || refused == 0)) {
      rounds += 1
      do {
        switch rounds % 3 {
        case 0: try file.write(rounds)
        case 1: try file.update { $0 = rounds }
        default: #expect(try file.read() != -666)
        }
        written += 1
      } catch is AppGroupsFileError {
        refused += 1
      }
    }
    #expect(written > 0)
    #expect(refused > 0)
  }
  #expect(!values.elements.contains(-666))
}

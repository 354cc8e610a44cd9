import AppGroups
import Foundation
import TestSupport
import Testing

/// The ordered system calls of a process, traced from outside.
@Suite("Durability on disk", .enabled(if: PeerProcess.canBeTraced))
struct DurabilityTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private var log: URL { fixture.directory.file("calls") }

  /// A peer whose calls are traced; `nil` if the system does not permit tracing.
  private func tracedPeer() async throws -> PeerProcess? {
    try await PeerProcess.traced([
      "-y", "-s", "0", "-e", "trace=fsync,fdatasync,sync_file_range,sync,rename,renameat,renameat2,linkat", "-o",
      log.path,
    ])
  }

  /// The calls so far, except failed ones: `sync NAME` and `rename NAME`.
  private func calls() throws -> [String] {
    var unfinished: [Substring: Substring] = [:]
    return try String(decoding: Data(contentsOf: log), as: UTF8.self).split(separator: "\n").compactMap { line in
      // The process or thread identifier comes first. If the output of another thread intervenes, a call is split in
      // two.
      let thread = line.prefix { $0.isNumber }
      var call = line.dropFirst(thread.count).drop { $0 == " " }
      if call.hasSuffix("<unfinished ...>") {
        unfinished[thread] = call.dropLast("<unfinished ...>".count)
        return nil
      }
      if let end = call.firstRange(of: " resumed>"), let beginning = unfinished.removeValue(forKey: thread) {
        call = beginning + call[end.upperBound...]
      }
      guard call.hasSuffix("= 0") else { return nil }
      if call.hasPrefix("fsync(") || call.hasPrefix("fdatasync(") {
        let path = call.split(separator: "<").last?.prefix { $0 != ">" } ?? ""
        return "sync " + (path.split(separator: "/").last ?? "")
      }
      // The new name is the last argument except for flags.
      let name = call.split(separator: "\"").last { !$0.contains(")") && !$0.contains(",") } ?? ""
      return (call.hasPrefix("link") ? "link " : "rename ") + (name.split(separator: "/").last ?? "")
    }
  }

  private func newCalls(_ peer: PeerProcess, _ command: String) async throws -> [String] {
    let before = try calls().count
    try await peer.send(command)
    // Calls are recorded before they return to the caller, and hence before the answer.
    return try Array(calls().dropFirst(before))
  }

  @Test
  func `a write with storage durability syncs the content, renames, and syncs the directory, in this order`()
    async throws
  {
    guard let peer = try await tracedPeer() else { return }
    let file = fixture.directory.file("value")
    let directory = fixture.directory.url.lastPathComponent
    let calls = try await newCalls(peer, "durable-write storage \(file.path) text")
    #expect(calls == ["sync value.tmp", "rename value", "sync \(directory)"])
    #expect(try await newCalls(peer, "durable-write process \(file.path) text") == ["rename value"])
    try await peer.endTraced()
  }

  @Test
  func `a shared file with storage durability syncs when it is created or changed`() async throws {
    guard let peer = try await tracedPeer() else { return }
    let made = try await newCalls(peer, "durable-open storage \(fixture.path) text")
    #expect(made == ["sync container", "sync text.tmp", "link text", "sync Files"])
    let changed = try await newCalls(peer, "durable-update new")
    #expect(changed == ["sync text.tmp", "rename text", "sync Files"])
    // Another process may have written the same bytes without waiting for the disk.
    let unchanged = try await newCalls(peer, "durable-update new")
    #expect(unchanged == ["sync text", "sync Files"])
    try await peer.endTraced()
  }

  @Test
  func `a directory whose creator was killed before its name was on the disk is synced by the next process`()
    async throws
  {
    guard let peer = try await tracedPeer() else { return }
    let directory = fixture.path + "/Files"
    // This is how `makeDirectory` begins.
    #expect(mkdir(directory, 0o1700) == 0)
    let made = try await newCalls(peer, "durable-open storage \(fixture.path) text")
    #expect(made == ["sync container", "sync text.tmp", "link text", "sync Files"])
    var status = stat()
    #expect(stat(directory, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o700, "the mark is removed")
    try await peer.endTraced()
  }

  @Test
  func `an event with storage durability is synced even in a segment that began without it`() async throws {
    guard let peer = try await tracedPeer() else { return }
    let first = try await newCalls(peer, "durable-append process \(fixture.path) one")
    #expect(first.last?.hasPrefix("rename ") == true, "the segment's name")
    #expect(first.dropLast() == ["sync container", "sync Logs", "sync log", "sync log"], "the log's directories")
    let calls = try await newCalls(peer, "durable-append storage \(fixture.path) two")
    #expect(calls.count == 2)
    #expect(calls.first?.hasSuffix(".segment") == true)
    #expect(calls.last == "sync log")
    let again = try await newCalls(peer, "durable-append storage \(fixture.path) three")
    #expect(again == calls.dropLast(), "the name exists already")
    try await peer.endTraced()
  }

  @Test
  func `every directory that is created for a file is synced in its parent directory`() async throws {
    guard let peer = try await tracedPeer() else { return }
    let group = fixture.directory.file("new/inner/group").path
    let made = try await newCalls(peer, "durable-open storage \(group) text")
    let outer = fixture.directory.url.lastPathComponent
    #expect(
      made == [
        "sync \(outer)", "sync new", "sync inner", "sync group", "sync text.tmp", "link text", "sync Files",
      ])
    let again = try await newCalls(peer, "durable-open storage \(group) other")
    #expect(again == ["sync other.tmp", "link other", "sync Files"])
    try await peer.endTraced()
  }

  @Test
  func `a shared file with process durability waits for the disk only for a new directory`() async throws {
    guard let peer = try await tracedPeer() else { return }
    #expect(try await newCalls(peer, "durable-open process \(fixture.path) text") == ["sync container", "link text"])
    #expect(try await newCalls(peer, "durable-update new") == ["rename text"])
    #expect(try await newCalls(peer, "durable-update new") == [])
    try await peer.endTraced()
  }
}

import AppGroups
import CLibrary
import FileSignals
import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Hazards of content: changes and echoes", .patient)
struct ContentHazardTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func setOldTimes(_ url: URL) {
    var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
    utimensat(AT_FDCWD, url.path, &times, 0)
  }

  @Test
  func `content of the same size, time and inode number is still detected as a change`() async throws {
    let file = try fixture.counter("counter.json", 1)
    setOldTimes(file.url)
    for round in 2...9 {
      let before = try FileManager.default.attributesOfItem(atPath: file.url.path)
      // In place, so that the inode stays the same.
      let handle = try FileHandle(forWritingTo: file.url)
      try handle.write(contentsOf: Data("\(round)".utf8))
      setOldTimes(file.url)
      try handle.close()
      setOldTimes(file.url)
      let after = try FileManager.default.attributesOfItem(atPath: file.url.path)
      #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
      #expect(before[.modificationDate] as? Date == after[.modificationDate] as? Date)
      try await file.firstValue("round \(round)") { $0 == round }
    }
  }

  @Test
  func `a reused inode number hides no replacement`() async throws {
    let file = try fixture.counter("counter.json", 0)
    for round in 1...Scale.count(100, torture: 2_000) {
      // The file system reuses the freed inode number for the next file, so two in turn return to the first.
      for value in [round * 2, round * 2 + 1] {
        try FileManager.default.removeItem(at: file.url)
        try fixture.overwrite("counter.json", with: "\(value)")
        setOldTimes(file.url)
      }
      try await file.firstValue("round \(round)") { $0 == round * 2 + 1 }
    }
  }

  @Test
  func `mixed bursts of own and foreign writes always end with the value of the file`() async throws {
    let files = try (0..<20).map { try fixture.counter("counter\($0).json") }
    let path = fixture.path
    let peer = try PeerProcess()
    try await peer.send("container \(path)")
    for index in files.indices { try await peer.send("open-counter counter\(index).json") }
    for round in 1...Scale.count(3, torture: 100) {
      for (index, file) in files.enumerated() {
        async let theirs = peer.send("write-counter counter\(index).json \(-round)")
        for burst in 0..<5 { try await file.write(round * 10 + burst) }
        _ = try await theirs
      }
      for (index, file) in files.enumerated() {
        let last = try file.read()
        try await file.firstValue("the last of round \(round)") { $0 == last }
        #expect(file.value == last)
        try await peer.send("observe counter\(index).json")
        try await peer.events.first("the same in the peer") {
          $0.hasPrefix("counter\(index).json ") && $0.hasSuffix(" \(last)")
        }
      }
    }
  }

  @Test
  func `the last value before an opening is not lost, however close the write`() async throws {
    _ = try fixture.counter("counter.json", 0)
    let url = fixture.url("counter.json")
    for round in 1...Scale.count(200, torture: 5_000) {
      async let written: Void = onThread { try DurableFile.write(Data("\(round)".utf8), to: url, durability: .process) }
      let file = try fixture.counter()
      try await written
      try await file.firstValue("round \(round)") { $0 == round }
    }
  }

  @Test
  func `value and file cannot diverge, because the value cannot be set alone`() {
    let path: AnyKeyPath = \AppGroupsFile<Int>.value
    #expect(!(path is ReferenceWritableKeyPath<AppGroupsFile<Int>, Int>))
    let property: AnyKeyPath = \AppGroupsFile<Int>.property.value
    #expect(!(property is ReferenceWritableKeyPath<AppGroupsFile<Int>, Int>))
  }

  @Test
  func `subscribers are never called concurrently, even with foreign writers and own threads`() async throws {
    let file = try fixture.counter()
    let peer = try await fixture.peer()
    try await peer.send("open-counter counter.json")
    let inside = Atomic<Int>(0)
    let overlaps = Recorder<Int>()
    let subscription = file.sink { value in
      if inside.add(1, ordering: .relaxed).newValue > 1 { overlaps.record(value) }
      usleep(20)
      inside.subtract(1, ordering: .relaxed)
    }
    async let theirs = peer.send("increment counter.json 200")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { for _ in 0..<100 { try await file.update { $0 += 1 } } } }
      try await group.waitForAll()
    }
    _ = try await theirs
    try await file.firstValue { $0 == 500 }
    #expect(overlaps.elements == [])
    subscription.cancel()
  }

  @Test
  func `a hard link keeps the old content, and does not bypass the lock`() async throws {
    let file = try fixture.counter("counter.json", 1)
    let link = fixture.directory.file("link")
    try FileManager.default.linkItem(at: file.url, to: link)
    try await file.write(2)
    #expect(try fixture.text(of: link) == "1\n")
    try Data("7".utf8).write(to: link)
    #expect(try file.read() == 2)
    try await file.update { $0 += 1 }
    #expect(file.value == 3)
  }

  @Test
  func `undecodable content is never repaired by opening, reading, observing or closing`() async throws {
    _ = try fixture.note()
    let newer = #"{"count": {"of a newer version": 1}}"#
    try fixture.overwrite(with: newer)
    for _ in 0..<3 {
      let file = try fixture.note("note.json", Note(count: 1, text: "initial"))
      let subscription = file.sink { _ in }
      #expect(throws: AppGroupsFileError.self) { try file.read() }
      await #expect(throws: AppGroupsFileError.self) { try await file.update { $0.count += 1 } }
      subscription.cancel()
    }
    #expect(try fixture.text(of: fixture.url("note.json")) == newer)
  }
}

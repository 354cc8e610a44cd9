import AppGroups
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Updating a shared file", .patient, .eachKernel)
struct UpdatingTests {
  struct Refusal: Error {}

  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `the body receives the value on disk, not the one in memory`() throws {
    let file = try fixture.counter()
    try Data("41".utf8).write(to: file.url, options: .atomic)
    let result = try file.update { value in
      value += 1
      return "was \(value - 1)"
    }
    #expect(result == "was 41")
    #expect(file.value == 42)
  }

  @Test
  func `an update without effect takes nothing back that another program has written in the meantime`() throws {
    let file = try fixture.counter()
    try file.write(1)
    let observed = Gate()
    let subscription = file.sink { if $0 == 5 { observed.open() } }
    try file.update { _ in
      try Data("5".utf8).write(to: file.url, options: .atomic)
      observed.block()
    }
    #expect(file.value == 5)
    subscription.cancel()
  }

  /// A file whose identity, size and times are the known ones is not read again, so the times must show each change.
  @Test
  func `a program that writes in place directly after an update, with the same size, is never overlooked`() throws {
    let file = try fixture.counter()
    for round in 0..<300 {
      try file.update { $0 = 1_000 + round }
      let foreign = try FileHandle(forWritingTo: file.url)
      try foreign.write(contentsOf: Data("\(5_000 + round)".utf8))
      try foreign.close()
      let found = try file.update { value in
        defer { value += 1_000 }
        return value
      }
      try #require(found == 5_000 + round)
      try file.write(6_000 + round)
      try #require(Data(contentsOf: file.url) == Data("\(6_000 + round)\n".utf8))
    }
  }

  @Test
  func `threads lose no increment`() async throws {
    let file = try fixture.counter()
    let other = try fixture.counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        group.addTask {
          try await onThread { for _ in 0..<100 { try (index.isMultiple(of: 2) ? file : other).update { $0 += 1 } } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try file.read() == 400)
  }

  @Test
  func `more tasks than threads can wait for one file without blocking all others`() async throws {
    let file = try fixture.counter()
    let peer = try await fixture.peer()
    try await peer.send("hold \(file.url.path)")
    let waiting = (0..<50).map { _ in Task { try await file.update { $0 += 1 } } }
    let unrelated = try fixture.counter("unrelated.json")
    try await unrelated.update { $0 += 1 }
    #expect(unrelated.value == 1)
    try await peer.send("release")
    for task in waiting { try await task.value }
    #expect(file.value == 50)
  }

  @Test
  func `a body that throws changes nothing`() throws {
    let file = try fixture.counter("counter.json", 1)
    let recorder = file.property.changes.recorded()
    #expect(throws: Refusal.self) {
      try file.update { value in
        value = 9
        throw Refusal()
      }
    }
    #expect(file.value == 1)
    #expect(try file.read() == 1)
    #expect(recorder.elements.isEmpty)
    try file.update { $0 += 1 }
    #expect(file.value == 2)
  }

  @Test
  func `a body that updates or writes its own file throws instead of deadlocking`() throws {
    let file = try fixture.counter()
    let same = try fixture.counter()
    try file.update { value in
      #expect(throws: AppGroupsFileError.nestedUpdate(file.url)) { try file.update { $0 += 1 } }
      #expect(throws: AppGroupsFileError.nestedUpdate(file.url)) { try same.write(5) }
      value = 1
    }
    #expect(file.value == 1)
  }

  @Test
  func `an update of a missing file starts from the current value`() async throws {
    let file = try fixture.counter("counter.json", 5)
    try FileManager.default.removeItem(at: file.url)
    try await file.update { $0 += 1 }
    #expect(try file.read() == 6)
    #expect(file.status.value == .current)
  }

  @Test
  func `undecodable content is an error, and stays unchanged`() async throws {
    let file = try fixture.counter("counter.json", 5)
    try fixture.overwrite("counter.json", with: "{\"version\": 2}")
    await #expect(throws: AppGroupsFileError.self) { try await file.update { $0 += 1 } }
    #expect(try fixture.text(of: file.url) == "{\"version\": 2}")
    #expect(file.value == 5)
  }

  @Test
  func `undecodable content is replaced on request`() async throws {
    let file = try fixture.counter("counter.json", 5)
    try fixture.overwrite("counter.json", with: "{\"version\": 2}")
    try await file.update(overwriting: true) { $0 += 1 }
    #expect(try file.read() == 6)
    try fixture.overwrite("counter.json", with: "")
    try await file.write(7)
    #expect(try file.read() == 7)
  }

  @Test
  func `an update waits for another program's unfinished write`() async throws {
    let file = try fixture.counter("counter.json", 5)
    try fixture.overwrite("counter.json", with: "")
    let update = Task { try await file.update { $0 += 1 } }
    try await shell(#"printf 41 > "$1""#, file.url.path)
    try await update.value
    #expect(file.value == 42)
  }
}
